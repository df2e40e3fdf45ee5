package io.thalweg.pipelinetest;

import io.thalweg.pipelinetest.PipelineTest.SourceLine;
import io.thalweg.runner.UserError;
import java.util.ArrayList;
import java.util.List;

/** Replaces the key {@code expect} in the text of a file of tests, and nothing else. */
final class ExpectBlock {
    private static final String KEY = "expect:";

    private ExpectBlock() {}

    /**
     * Returns the text with the new key, which is added at the end of the document if it had none.
     *
     * @param place of the document
     * @param written whether the document has the key
     * @param block lines that end in a line feed
     * @throws UserError if the key is not at the beginning of a line
     */
    static String replace(String text, SourceLine place, boolean written, String block) {
        List<String> lines = new ArrayList<>(text.lines().toList());
        int end = endOfDocument(lines, place.line() - 1);
        int begin = place.line() - 1;
        while (begin < end && !lines.get(begin).startsWith(KEY)) {
            begin++;
        }
        if (begin < end) {
            lines.subList(begin, endOfBlock(lines, begin + 1, end)).clear();
        } else if (written) {
            throw UserError.failed(
                    "%s: cannot replace expect, which does not begin a line".formatted(place.file()),
                    "write the test in block style, a key per line");
        } else {
            begin = lastWithText(lines, end);
        }
        lines.addAll(begin, block.lines().toList());
        return String.join("\n", lines) + "\n";
    }

    private static int endOfDocument(List<String> lines, int from) {
        int end = from;
        while (end < lines.size()
                && !lines.get(end).startsWith("---")
                && !lines.get(end).startsWith("...")) {
            end++;
        }
        return end;
    }

    /** Returns the index after the last indented line. Empty lines and comments after it belong to the next key. */
    private static int endOfBlock(List<String> lines, int from, int end) {
        int after = from;
        while (after < end && (lines.get(after).isBlank() || lines.get(after).matches("[ \t#}\\]].*"))) {
            after++;
        }
        while (after > from
                && (lines.get(after - 1).isBlank() || lines.get(after - 1).startsWith("#"))) {
            after--;
        }
        return after;
    }

    private static int lastWithText(List<String> lines, int end) {
        int last = end;
        while (last > 0 && lines.get(last - 1).isBlank()) {
            last--;
        }
        return last;
    }
}
