package io.thalweg.runner;

/** Shares on the command line, such as {@code --max-bad}: the share of bad or late events beyond which a bounded run fails. */
public final class BadShare {
    private BadShare() {}

    /** Parses {@code 1%} or {@code 0.01}. */
    public static double parse(String text) {
        return parse("--max-bad", text);
    }

    /** Parses the value of an option: {@code 1%} or {@code 0.01}. */
    public static double parse(String option, String text) {
        try {
            double share = text.endsWith("%")
                    ? Double.parseDouble(text.substring(0, text.length() - 1)) / 100
                    : Double.parseDouble(text);
            if (share >= 0 && share <= 1) {
                return share;
            }
        } catch (NumberFormatException e) {
            // Reported below.
        }
        throw UserError.usage(
                option + " must be a share of 0 to 100 %, was '" + text + "'", "such as " + option + " 1%");
    }

    /** Fails if the share of bad events is larger than allowed. */
    static void require(long bad, long events, double maxBad, String remedy) {
        require("bad", bad, events, maxBad, remedy);
    }

    /** Fails if the share of events with an outcome is larger than its option allows. */
    static void require(String outcome, long count, long events, double most, String remedy) {
        if (count > most * events) {
            throw UserError.failed(
                    "%d of %d events are %s, more than --max-%s allows".formatted(count, events, outcome, outcome),
                    remedy);
        }
    }
}
