package io.thalweg.model.row;

import io.thalweg.kernel.keyed.KeyForm;
import io.thalweg.kernel.keyed.KeyWord;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.KeyedPlan;
import io.thalweg.model.view.ValueType;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the keys of a keyed view as the kernel stores them: one {@code int64} or {@code bool} as 64 bits; one {@code uuid}, or
 * two of {@code int64} and {@code bool}, as 128; all others as the canonical bytes of {@link GroupCodec}.
 *
 * <p><b>Shape.</b> Values in the order of the view's entities: {@code String} (also for uuid, lower-case canonical), {@code
 * Long} or {@code Boolean}.
 *
 * <p><b>Threads.</b> Immutable and safe to share.
 */
public final class KeyCodec {
    private final List<Entity.Field> fields;
    private final GroupCodec bytes;
    private final KeyForm form;

    /** Creates a codec for the keys of this view. */
    public KeyCodec(FeatureView view) {
        fields = view.group();
        bytes = new GroupCodec(fields);
        form = KeyedPlan.keyForm(view);
    }

    /** The form of the keys. */
    public KeyForm form() {
        return form;
    }

    /**
     * Returns the canonical bytes of a key of any form.
     *
     * @throws IllegalArgumentException if a value is not of its entity's type; the message names the entity
     */
    public byte[] bytes(List<Object> key) {
        return bytes.encode(key);
    }

    /** Decodes a key that {@link #bytes} encoded. */
    public List<Object> ofBytes(byte[] encoded) {
        return bytes.decode(encoded);
    }

    /** Returns the shard that owns a key. */
    public int shard(List<Object> key) {
        return Shard.of(
                switch (form) {
                    case BYTES -> KeyWord.of(bytes(key));
                    case LONG -> KeyWord.of(low(key));
                    case PAIR -> KeyWord.of(high(key), low(key));
                });
    }

    /** Returns the upper half of a key of 128 bits; 0 for one of 64. */
    public long high(List<Object> key) {
        if (form == KeyForm.LONG) {
            return 0;
        }
        return key.size() == 2
                ? word(key.get(0))
                : UUID.fromString((String) key.get(0)).getMostSignificantBits();
    }

    /** Returns a key of 64 bits, or the lower half of one of 128. */
    public long low(List<Object> key) {
        if (form == KeyForm.LONG) {
            return word(key.get(0));
        }
        return key.size() == 2
                ? word(key.get(1))
                : UUID.fromString((String) key.get(0)).getLeastSignificantBits();
    }

    private static long word(Object value) {
        return value instanceof Boolean bool ? (bool ? 1 : 0) : (Long) value;
    }

    /** Decodes a key as the kernel stores it: {@code encoded} for {@link KeyForm#BYTES}, the words for other forms. */
    public List<Object> decode(long high, long low, byte @Nullable [] encoded) {
        if (form == KeyForm.BYTES && encoded != null) {
            return bytes.decode(encoded);
        }
        if (fields.size() == 2) {
            return List.of(value(fields.get(0), high), value(fields.get(1), low));
        }
        return List.of(form == KeyForm.PAIR ? new UUID(high, low).toString() : value(fields.get(0), low));
    }

    private static Object value(Entity.Field field, long word) {
        return field.type() == ValueType.BOOL ? (Object) (word != 0) : (Object) word;
    }
}
