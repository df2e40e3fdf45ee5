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
import org.jspecify.annotations.Nullable;

/** Rides in JSON, read by Jackson's streaming parser. */
final class JsonRides implements RideDecoder {
    private static final int MICROS = 1_000;

    /** A map may have any number of distinct keys, and each new one would make Jackson copy its table of names. */
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
