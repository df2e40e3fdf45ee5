package io.thalweg.bench.harness;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;

/** Encodes an order for a process: a record, as the only argument of the process or as a line of its standard input. */
public final class Orders {
    private static final ObjectMapper JSON =
            new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    private Orders() {}

    /** Returns a record as the arguments of a process. */
    public static List<String> arguments(Record order) {
        return List.of(line(order));
    }

    /** Returns a record as a line. */
    public static String line(Record order) {
        try {
            return JSON.writeValueAsString(order);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not an order for a process: " + order, e);
        }
    }

    /** Parses the record in a line or in the first argument. */
    public static <T extends Record> T read(String text, Class<T> type) {
        try {
            return JSON.readValue(text, type);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not an order of this process: " + text, e);
        }
    }
}
