package io.thalweg.feast;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeastView;
import io.thalweg.model.view.FeastView.JoinKey;
import io.thalweg.model.view.FeastView.KeyType;
import io.thalweg.model.view.FeatureView;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * The keys under which a Feast client looks up the rows of a view: Feast's entity key serialization version 3, then the project.
 *
 * <pre>
 * u32 number of join keys
 * of each, sorted by name: u32 2 (STRING), u32 length, name
 * in the same order:       u32 2 (STRING) or 4 (INT64), u32 length, value; UTF-8, or 64 bits
 * project
 * </pre>
 *
 * <p>All numbers are little-endian, lengths in bytes. Views of the same join keys share their keys.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class FeastKeys {
    private static final int STRING = 2;
    private static final int INT64 = 4;

    private final byte[] begin;
    private final byte[] project;
    private final List<JoinKey> joinKeys;
    /** The position of each join key in the row's group; -1 for the cell. */
    private final int[] places;

    public FeastKeys(String project, FeatureView view) {
        this.project = project.getBytes(UTF_8);
        joinKeys = FeastView.of(view).joinKeys();
        List<String> group = view.group().stream().map(Entity::name).toList();
        places = joinKeys.stream().mapToInt(key -> group.indexOf(key.name())).toArray();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        u32(joinKeys.size(), out);
        joinKeys.forEach(key -> value(STRING, key.name().getBytes(UTF_8), out));
        begin = out.toByteArray();
    }

    /**
     * Returns the key of a row.
     *
     * @param cell H3 index; ignored for a keyed view
     * @param group values of the other entities in the view's order
     */
    public byte[] key(long cell, List<Object> group) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(begin.length + 64);
        out.writeBytes(begin);
        for (int i = 0; i < places.length; i++) {
            Object value = places[i] < 0 ? (Object) cell : group.get(places[i]);
            if (joinKeys.get(i).type() == KeyType.STRING) {
                value(STRING, utf8((String) value), out);
            } else {
                long number = value instanceof Boolean bool ? (bool ? 1 : 0) : (Long) value;
                value(INT64, littleEndian(Long.BYTES).putLong(number).array(), out);
            }
        }
        out.writeBytes(project);
        return out.toByteArray();
    }

    /** Encodes text, with lone surrogates as three bytes each. No client requests such text, but its key stays distinct. */
    private static byte[] utf8(String text) {
        if (UTF_8.newEncoder().canEncode(text)) {
            return text.getBytes(UTF_8);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        text.codePoints().forEach(point -> {
            if (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE) {
                out.write(0xE0 | (point >> 12));
                out.write(0x80 | ((point >> 6) & 0x3F));
                out.write(0x80 | (point & 0x3F));
            } else {
                out.writeBytes(Character.toString(point).getBytes(UTF_8));
            }
        });
        return out.toByteArray();
    }

    private static void value(int type, byte[] bytes, ByteArrayOutputStream out) {
        u32(type, out);
        u32(bytes.length, out);
        out.writeBytes(bytes);
    }

    private static void u32(int number, ByteArrayOutputStream out) {
        out.writeBytes(littleEndian(Integer.BYTES).putInt(number).array());
    }

    private static ByteBuffer littleEndian(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
