package io.thalweg.bench.harness;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.bench.harness.Contest.Score;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/**
 * What the processes of a measurement send each other. An order is a record as JSON: the only argument of a process, or a line of
 * its standard input. A process answers with lines of its standard output: its progress and its scores.
 */
public final class Messages {
    private static final String PROGRESS = "progress ";
    private static final String SCORE = "score ";
    private static final ObjectMapper JSON = new ObjectMapper()
            .enable(DeserializationFeature.USE_LONG_FOR_INTS)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    private Messages() {}

    /** Work that an order requests. */
    public interface Answering<T> {
        Score score(T order) throws Exception;
    }

    public static String line(Record order) {
        try {
            return JSON.writeValueAsString(order);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not an order for a process: " + order, e);
        }
    }

    /** Parses the record in a line or in an argument. */
    public static <T extends Record> T read(String text, Class<T> type) {
        try {
            return JSON.readValue(text, type);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not a message of this kind: " + text, e);
        }
    }

    /** Does the only work of this process, reports its score, and ends the process as {@link #endAfter} does. */
    public static void endWith(Callable<Score> work) {
        endAfter(() -> score(work.call()));
    }

    /** Answers each order of the standard input with a score, until the input ends. */
    public static <T extends Record> void answer(Class<T> type, Answering<T> work) throws Exception {
        BufferedReader in = input();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            score(work.score(read(line, type)));
        }
    }

    /** The standard input of this process. */
    public static BufferedReader input() {
        return new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    }

    /** Returns when the process that started this one has ended, or closes this one. */
    public static void awaitEndOfInput() throws IOException {
        while (System.in.read() >= 0) {
            // Nothing is expected.
        }
    }

    /**
     * Runs the body of this process and ends it. A process that has failed also ends, although threads of Flink would keep it
     * alive.
     */
    public static void endAfter(Meter.Work body) {
        try {
            body.run();
            System.exit(0);
        } catch (Exception | Error e) {
            e.printStackTrace();
            System.exit(1);
        }
    }

    /** Prints a line for the process that started this one. */
    @SuppressWarnings("SystemOut")
    public static void say(String line) {
        System.out.println(line);
    }

    public static void progress(String line) {
        say(PROGRESS + line);
    }

    /** Reports the score of its work. */
    public static void score(Score score) {
        say(SCORE + line(score));
    }

    /** Passes on a line of the output by its kind; other lines are skipped. */
    public static void read(String line, Consumer<String> progress, Consumer<Score> scores) {
        if (line.startsWith(PROGRESS)) {
            progress.accept(line.substring(PROGRESS.length()));
        } else if (line.startsWith(SCORE)) {
            scores.accept(read(line.substring(SCORE.length()), Score.class));
        }
    }
}
