package io.thalweg.bench.advertising;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a contestant's process reports to the one that started it, on its standard output: how far it is, and once what it found.
 */
public final class ContestantOutput {
    private static final String PROGRESS = "progress ";
    private static final String RESULT = "result ";
    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.USE_LONG_FOR_INTS);

    private final Map<String, Number> figures = new LinkedHashMap<>();

    /**
     * What was found.
     *
     * @param figures by names that end in their units
     * @param difference how the counts differ from what they must be; empty if they do not
     */
    public record Result(LinkedHashMap<String, Number> figures, String difference) {}

    /** Keeps a count. */
    public void put(String name, long value) {
        figures.put(name, value);
    }

    /** Keeps a figure to four digits after the point. */
    public void put(String name, double value) {
        figures.put(name, Math.rint(value * 1e4) / 1e4);
    }

    /** A figure that was put. */
    Number figure(String name) {
        return java.util.Objects.requireNonNull(figures.get(name), name);
    }

    /** Reports how far it is. */
    @SuppressWarnings("SystemOut") // the process that started this one reads it
    public static void progress(String line) {
        System.out.println(PROGRESS + line);
    }

    /** Reports what was found; the difference is empty if there is none. */
    @SuppressWarnings("SystemOut") // the process that started this one reads it
    public void result(String difference) throws JsonProcessingException {
        System.out.println(RESULT + JSON.writeValueAsString(new Result(new LinkedHashMap<>(figures), difference)));
    }

    /** Whether a line says how far it is. */
    public static boolean isProgress(String line) {
        return line.startsWith(PROGRESS);
    }

    /** Whether a line says what was found. */
    public static boolean isResult(String line) {
        return line.startsWith(RESULT);
    }

    /** How far it is. */
    public static String progressOf(String line) {
        return line.substring(PROGRESS.length());
    }

    /** What was found. */
    public static Result resultOf(String line) {
        try {
            return JSON.readValue(line.substring(RESULT.length()), Result.class);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not what a contestant says: " + line, e);
        }
    }
}
