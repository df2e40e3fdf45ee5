package io.thalweg.bench.ingest;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.parquet.io.api.Binary;
import org.jspecify.annotations.Nullable;

/** Rides in JSON, read by Jackson's streaming parser. */
final class JsonRides implements RideDecoder {
    private static final int MICROS = 1_000;

    /** Names of a map's entries are of any number: each new one would make Jackson copy its table of names. */
    private final JsonFactory json = JsonFactory.builder()
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .build();

    private final Schema schema;
    private final Schema pickup;
    private final Schema dropoff;

    JsonRides(Schema schema) {
        this.schema = schema;
        pickup = schema.getField("pickup").schema();
        dropoff = schema.getField("dropoff").schema().getTypes().get(1);
    }

    @Override
    public void decode(byte[] data, int from, int to, RideFields out) throws IOException {
        try (JsonParser in = json.createParser(data, from, to - from)) {
            in.nextToken();
            for (String name = in.nextFieldName(); name != null; name = in.nextFieldName()) {
                if (in.nextToken() != JsonToken.VALUE_NULL) {
                    decode(name, in, out);
                }
            }
        }
    }

    private static void decode(String name, JsonParser in, RideFields out) throws IOException {
        switch (name) {
            case "event_id" -> out.text(name, 0, text(in));
            case "ts" -> out.bigint(name, 1, in.getLongValue() * MICROS);
            case "status" -> out.text(name, 2, text(in));
            case "rider_id" -> out.text(name, 3, text(in));
            case "driver_id" -> out.text(name, 4, text(in));
            case "pickup" -> place(name, 5, in, out);
            case "dropoff" -> place(name, 6, in, out);
            case "product" -> out.text(name, 7, text(in));
            case "passengers" -> out.integer(name, 8, in.getIntValue());
            case "fare_cents" -> out.bigint(name, 9, in.getLongValue());
            case "rating" -> out.real(name, 10, in.getDoubleValue());
            case "shared" -> out.bool(name, 11, in.getBooleanValue());
            case "app_version" -> out.text(name, 12, text(in));
            case "device" -> out.text(name, 13, text(in));
            case "promotions" -> promotions(in, out);
            case "surcharges" -> surcharges(in, out);
            case "session_id" -> out.text(name, 16, text(in));
            case "note" -> out.text(name, 17, text(in));
            default -> in.skipChildren();
        }
    }

    private static Binary text(JsonParser in) throws IOException {
        return Binary.fromString(in.getText());
    }

    private static void place(String place, int index, JsonParser in, RideFields out) throws IOException {
        out.begin(place, index);
        for (String name = in.nextFieldName(); name != null; name = in.nextFieldName()) {
            if (in.nextToken() == JsonToken.VALUE_NULL) {
                continue;
            }
            switch (name) {
                case "lat" -> out.real(name, 0, in.getDoubleValue());
                case "lng" -> out.real(name, 1, in.getDoubleValue());
                case "address" -> out.text(name, 2, text(in));
                default -> in.skipChildren();
            }
        }
        out.end(place, index);
    }

    private static void promotions(JsonParser in, RideFields out) throws IOException {
        out.begin("promotions", 14);
        if (in.nextToken() != JsonToken.END_ARRAY) {
            out.out().startField("list", 0);
            do {
                out.element(text(in));
            } while (in.nextToken() != JsonToken.END_ARRAY);
            out.out().endField("list", 0);
        }
        out.end("promotions", 14);
    }

    private static void surcharges(JsonParser in, RideFields out) throws IOException {
        out.begin("surcharges", 15);
        String key = in.nextFieldName();
        if (key != null) {
            out.out().startField("key_value", 0);
            for (; key != null; key = in.nextFieldName()) {
                in.nextToken();
                out.entry(Binary.fromString(key), in.getDoubleValue());
            }
            out.out().endField("key_value", 0);
        }
        out.end("surcharges", 15);
    }

    @Override
    public GenericRecord decode(byte[] data, int from, int to) throws IOException {
        GenericData.Record ride = new GenericData.Record(schema);
        try (JsonParser in = json.createParser(data, from, to - from)) {
            in.nextToken();
            for (String name = in.nextFieldName(); name != null; name = in.nextFieldName()) {
                JsonToken token = in.nextToken();
                Schema.Field field = schema.getField(name);
                if (field == null) {
                    in.skipChildren();
                } else if (token != JsonToken.VALUE_NULL) {
                    ride.put(field.pos(), value(name, in));
                }
            }
        }
        return ride;
    }

    private Object value(String name, JsonParser in) throws IOException {
        return switch (name) {
            case "ts" -> in.getLongValue() * MICROS;
            case "pickup" -> place(pickup, in);
            case "dropoff" -> place(dropoff, in);
            case "passengers" -> in.getIntValue();
            case "fare_cents" -> in.getLongValue();
            case "rating" -> in.getDoubleValue();
            case "shared" -> in.getBooleanValue();
            case "promotions" -> promotions(in);
            case "surcharges" -> surcharges(in);
            default -> in.getText();
        };
    }

    private static GenericRecord place(Schema type, JsonParser in) throws IOException {
        GenericData.Record place = new GenericData.Record(type);
        for (String name = in.nextFieldName(); name != null; name = in.nextFieldName()) {
            place.put(name, scalar(in.nextToken(), in));
        }
        return place;
    }

    private static @Nullable Object scalar(JsonToken token, JsonParser in) throws IOException {
        if (token == JsonToken.VALUE_NULL) {
            return null;
        }
        return token == JsonToken.VALUE_STRING ? in.getText() : (Object) in.getDoubleValue();
    }

    private static List<String> promotions(JsonParser in) throws IOException {
        List<String> promotions = new ArrayList<>();
        while (in.nextToken() != JsonToken.END_ARRAY) {
            promotions.add(in.getText());
        }
        return promotions;
    }

    private static Map<String, Double> surcharges(JsonParser in) throws IOException {
        Map<String, Double> surcharges = new HashMap<>();
        for (String key = in.nextFieldName(); key != null; key = in.nextFieldName()) {
            in.nextToken();
            surcharges.put(key, in.getDoubleValue());
        }
        return surcharges;
    }
}
