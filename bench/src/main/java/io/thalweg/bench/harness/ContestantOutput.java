package io.thalweg.bench.harness;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/** The output of a contestant's process to the process that started it: its progress and its scores. */
public final class ContestantOutput {
    private static final String PROGRESS = "progress ";
    private static final String SCORE = "score ";
    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.USE_LONG_FOR_INTS);

    private ContestantOutput() {}

    /** Does the only work of this process, reports its score, and ends the process as {@link #endAfter} does. */
    public static void endWith(Callable<Score> work) {
        endAfter(() -> score(work.call()));
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

    /** Reports progress. */
    @SuppressWarnings("SystemOut") // the process that started this one reads it
    public static void progress(String line) {
        System.out.println(PROGRESS + line);
    }

    /** Reports the score of its work. */
    @SuppressWarnings("SystemOut") // the process that started this one reads it
    public static void score(Score score) throws JsonProcessingException {
        System.out.println(SCORE + JSON.writeValueAsString(score));
    }

    /** Passes on a line of the output by its kind; other lines are skipped. */
    public static void read(String line, Consumer<String> progress, Consumer<Score> scores) {
        if (line.startsWith(PROGRESS)) {
            progress.accept(line.substring(PROGRESS.length()));
        } else if (line.startsWith(SCORE)) {
            try {
                scores.accept(JSON.readValue(line.substring(SCORE.length()), Score.class));
            } catch (JsonProcessingException e) {
                throw new IllegalArgumentException("not what a contestant reports: " + line, e);
            }
        }
    }
}
