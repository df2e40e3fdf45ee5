package io.thalweg.bench.harness;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/**
 * What a contestant's process reports to the one that started it, on its standard output: how far it is, and its scores.
 */
public final class ContestantOutput {
    private static final String PROGRESS = "progress ";
    private static final String SCORE = "score ";
    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.USE_LONG_FOR_INTS);

    private ContestantOutput() {}

    /** Does the only work of this process, reports its score, and ends the process as {@link #endAfter} does. */
    public static void endWith(Callable<Score> work) {
        endAfter(() -> score(work.call()));
    }

    /** Does what this process is for, and ends it. A process that has failed ends, too: threads of Flink would keep it alive. */
    public static void endAfter(Meter.Work body) {
        try {
            body.run();
            System.exit(0);
        } catch (Exception | Error e) {
            e.printStackTrace();
            System.exit(1);
        }
    }

    /** Reports how far it is. */
    @SuppressWarnings("SystemOut") // the process that started this one reads it
    public static void progress(String line) {
        System.out.println(PROGRESS + line);
    }

    /** Reports what its work took. */
    @SuppressWarnings("SystemOut") // the process that started this one reads it
    public static void score(Score score) throws JsonProcessingException {
        System.out.println(SCORE + JSON.writeValueAsString(score));
    }

    /** Hands a line of the output over, by what it reports; other lines are skipped. */
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
