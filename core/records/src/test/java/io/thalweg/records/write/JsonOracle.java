package io.thalweg.records.write;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Bool;
import io.thalweg.records.schema.FieldType.Bytes;
import io.thalweg.records.schema.FieldType.Date;
import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.Int;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Real;
import io.thalweg.records.schema.FieldType.Time;
import io.thalweg.records.schema.FieldType.Timestamp;
import io.thalweg.records.schema.FieldType.Uuid;
import io.thalweg.records.schema.Struct;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads messages with Jackson, and values with the JDK. */
public final class JsonOracle {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private final JsonParser in;

    private JsonOracle(JsonParser in) {
        this.in = in;
    }

    /** Returns the message as a {@link Tree}, read to its last byte. */
    public static List<@Nullable Object> read(Struct schema, byte[] data, int from, int to) throws IOException {
        try (JsonParser parser = FACTORY.createParser(data, from, to - from)) {
            parser.nextToken();
            List<@Nullable Object> record = new JsonOracle(parser).struct(schema);
            if (parser.nextToken() != null) {
                throw new IOException("tokens are left");
            }
            return record;
        }
    }

    private List<@Nullable Object> struct(Struct struct) throws IOException {
        expect(JsonToken.START_OBJECT);
        List<@Nullable Object> values =
                new ArrayList<>(Collections.nCopies(struct.fields().size(), null));
        int before = -1;
        while (in.nextToken() != JsonToken.END_OBJECT) {
            int index = struct.indexOf(in.currentName());
            if (index <= before) {
                throw new IOException("field " + index + " follows " + before);
            }
            before = index;
            in.nextToken();
            values.set(index, value(struct.fields().get(index).type()));
        }
        return values;
    }

    private void expect(JsonToken token) throws IOException {
        if (in.currentToken() != token) {
            throw new IOException("expected " + token + ", found " + in.currentToken());
        }
    }

    private @Nullable Object value(FieldType type) throws IOException {
        if (in.currentToken() == JsonToken.VALUE_NULL) {
            return null;
        }
        if (type instanceof Struct struct) {
            return struct(struct);
        }
        if (type instanceof ListOf list) {
            expect(JsonToken.START_ARRAY);
            List<@Nullable Object> elements = new ArrayList<>();
            while (in.nextToken() != JsonToken.END_ARRAY) {
                elements.add(value(list.element()));
            }
            return elements;
        }
        if (type instanceof MapOf map) {
            expect(JsonToken.START_OBJECT);
            List<@Nullable Object> entries = new ArrayList<>();
            while (in.nextToken() != JsonToken.END_OBJECT) {
                Object key = scalar(map.key(), in.currentName());
                in.nextToken();
                entries.add(Arrays.asList(key, value(map.value())));
            }
            return entries;
        }
        boolean bare = type instanceof Int || type instanceof Real || type instanceof Bool;
        if (bare == (in.currentToken() == JsonToken.VALUE_STRING)) {
            throw new IOException(type + " as " + in.currentToken());
        }
        return scalar(type, in.getText());
    }

    private static Object scalar(FieldType type, String text) {
        if (type instanceof Bool) {
            return Boolean.valueOf(text);
        }
        if (type instanceof Int) {
            return Long.valueOf(text);
        }
        if (type instanceof Real real) {
            return real.bits() == 32 ? (Object) (double) Float.parseFloat(text) : (Object) Double.parseDouble(text);
        }
        if (type instanceof Date) {
            return LocalDate.parse(text).toEpochDay();
        }
        if (type instanceof Time) {
            return LocalTime.parse(text).toNanoOfDay() / 1000;
        }
        if (type instanceof Timestamp timestamp) {
            Instant instant = timestamp.utc()
                    ? Instant.parse(text)
                    : LocalDateTime.parse(text).toInstant(ZoneOffset.UTC);
            return instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1000;
        }
        if (type instanceof Decimal decimal) {
            BigDecimal value = new BigDecimal(text);
            if (value.scale() != decimal.scale()) {
                throw new NumberFormatException(text);
            }
            return ByteBuffer.wrap(value.unscaledValue().toByteArray());
        }
        if (type instanceof Uuid) {
            UUID uuid = UUID.fromString(text);
            return ByteBuffer.allocate(16)
                    .putLong(uuid.getMostSignificantBits())
                    .putLong(uuid.getLeastSignificantBits())
                    .flip();
        }
        return ByteBuffer.wrap(
                type instanceof Bytes ? Base64.getDecoder().decode(text) : text.getBytes(StandardCharsets.UTF_8));
    }
}
