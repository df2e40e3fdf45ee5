package io.thalweg.bench.harness;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * What a contestant's process reports to the one that started it, on its standard output: how far it is, and its scores.
 */
public final class ContestantOutput {
    private static final String PROGRESS = "progress ";
    private static final String SCORE = "score ";
    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.USE_LONG_FOR_INTS);

    private ContestantOutput() {}

    /** What a process does. */
    public interface Body {
        /** Does it. */
        void run() throws Exception;
    }

    /** Does the only work of this process, reports its score, and ends the process as {@link #endAfter} does. */
    public static void endWith(Contest.Work work) {
        endAfter(() -> score(work.measure()));
    }

    /** Does what this process is for, and ends it. A process that has failed ends, too: threads of Flink would keep it alive. */
    public static void endAfter(Body body) {
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

    /** Whether a line reports how far it is. */
    public static boolean isProgress(String line) {
        return line.startsWith(PROGRESS);
    }

    /** Whether a line is a score. */
    public static boolean isScore(String line) {
        return line.startsWith(SCORE);
    }

    /** How far it is. */
    public static String progressOf(String line) {
        return line.substring(PROGRESS.length());
    }

    /** What its work took. */
    public static Score scoreOf(String line) {
        try {
            return JSON.readValue(line.substring(SCORE.length()), Score.class);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not what a contestant reports: " + line, e);
        }
    }
}
