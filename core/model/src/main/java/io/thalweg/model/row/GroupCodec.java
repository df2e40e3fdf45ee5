package io.thalweg.model.row;

import io.thalweg.model.bytes.Bytes;
import io.thalweg.model.bytes.BytesReader;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.ValueType;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Encodes a group, the entities other than the cell, as canonical bytes. Two groups have the same bytes iff they are equal, and
 * only bytes that {@link #encode} produces can be decoded.
 *
 * <p><b>Shape.</b> Values in order: {@code string} a varint {@code 2 * length} and the UTF-8, or, for text that is not
 * Unicode (a lone surrogate), {@code 2 * length + 1} and the UTF-16 big-endian; {@code int64} 8 bytes big-endian; {@code
 * bool} one byte, 0 or 1; {@code uuid} 16 bytes.
 *
 * <p><b>Threads.</b> Immutable and safe to share.
 */
public final class GroupCodec {
    private final List<Entity.Field> fields;

    /** Creates a codec for the values of these entities, in this order. */
    public GroupCodec(List<Entity.Field> fields) {
        this.fields = List.copyOf(fields);
    }

    /**
     * Encodes a group.
     *
     * @throws IllegalArgumentException if a value is not of its entity's type; the message names the entity
     */
    public byte[] encode(List<Object> group) {
        if (group.size() != fields.size()) {
            throw new IllegalArgumentException("a group must have " + fields.size() + " values, was " + group);
        }
        Bytes out = new Bytes(16 * fields.size() + 16);
        for (int i = 0; i < fields.size(); i++) {
            encode(fields.get(i), group.get(i), out);
        }
        return out.copy();
    }

    /**
     * Decodes what {@link #encode} produced.
     *
     * @throws IllegalArgumentException for anything else; the message names the offset
     */
    public List<Object> decode(byte[] bytes) {
        BytesReader in = new BytesReader(bytes, 0);
        List<Object> group = new ArrayList<>(fields.size());
        for (Entity.Field field : fields) {
            group.add(decode(field.type(), in));
        }
        in.end();
        return group;
    }

    private static void encode(Entity.Field field, Object value, Bytes out) {
        if (field.type() == ValueType.STRING && value instanceof String text) {
            text(text, out);
        } else if (field.type() == ValueType.INT64 && value instanceof Long number) {
            out.u64(number);
        } else if (field.type() == ValueType.BOOL && value instanceof Boolean bool) {
            out.u8(bool ? 1 : 0);
        } else if (field.type() == ValueType.UUID && value instanceof String text) {
            UUID uuid = uuid(field, text);
            out.u64(uuid.getMostSignificantBits()).u64(uuid.getLeastSignificantBits());
        } else {
            throw new IllegalArgumentException("entity %s must be %s, was %s '%s'"
                    .formatted(
                            field.name(), field.type().text(), value.getClass().getSimpleName(), value));
        }
    }

    private static UUID uuid(Entity.Field field, String text) {
        try {
            UUID uuid = UUID.fromString(text);
            if (uuid.toString().equals(text)) {
                return uuid;
            }
        } catch (IllegalArgumentException e) {
            // reported below, like a UUID that is not canonical
        }
        throw new IllegalArgumentException(
                "entity %s must be a lower-case UUID of 36 characters, was '%s'".formatted(field.name(), text));
    }

    private static void text(String text, Bytes out) {
        boolean unicode = StandardCharsets.UTF_8.newEncoder().canEncode(text);
        byte[] bytes = text.getBytes(unicode ? StandardCharsets.UTF_8 : StandardCharsets.UTF_16BE);
        if (unicode) {
            out.varint(2L * bytes.length).raw(bytes);
        } else {
            out.varint(4L * text.length() + 1);
            text.chars().forEach(c -> out.u8(c >>> 8).u8(c));
        }
    }

    private static Object decode(ValueType type, BytesReader in) {
        return switch (type) {
            case STRING -> text(in);
            case INT64 -> in.u64();
            case BOOL -> bool(in);
            case UUID -> new UUID(in.u64(), in.u64()).toString();
        };
    }

    private static boolean bool(BytesReader in) {
        int value = in.u8();
        if (value > 1) {
            throw BytesReader.wrong(in.at() - 1, "a bool must be 0 or 1, was " + value);
        }
        return value == 1;
    }

    private static String text(BytesReader in) {
        int from = in.at();
        int header = in.varint(Integer.MAX_VALUE, "the length of a text");
        byte[] bytes = in.raw(header >>> 1);
        if ((header & 1) == 0) {
            try {
                return StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(bytes))
                        .toString();
            } catch (CharacterCodingException e) {
                throw BytesReader.wrong(from, "a text must be UTF-8");
            }
        }
        if (bytes.length % 2 == 1) {
            throw BytesReader.wrong(from, "a UTF-16 text must have an even length, was " + bytes.length);
        }
        StringBuilder text = new StringBuilder(bytes.length / 2);
        for (int i = 0; i < bytes.length; i += 2) {
            text.append((char) (((bytes[i] & 0xFF) << 8) | (bytes[i + 1] & 0xFF)));
        }
        if (StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw BytesReader.wrong(from, "a Unicode text must be written as UTF-8");
        }
        return text.toString();
    }
}
