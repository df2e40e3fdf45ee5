package io.thalweg.pipelinetest;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Compares the records that a killed job wrote to a topic with those of an undisturbed run. */
final class DeliveredRecords {
    private static final int SHOWN = 3;

    private DeliveredRecords() {}

    /**
     * Returns how they differ, in lines; empty if they do not.
     *
     * @param once whether a record must not occur more often than without the kill
     */
    static List<String> differences(String condition, boolean once, List<byte[]> expected, List<byte[]> came) {
        Map<String, Integer> more = new TreeMap<>();
        came.forEach(record -> more.merge(text(record), 1, Integer::sum));
        expected.forEach(record -> more.merge(text(record), -1, Integer::sum));
        List<String> lines = new ArrayList<>();
        Set<String> known = expected.stream().map(DeliveredRecords::text).collect(Collectors.toSet());
        more.forEach((record, times) -> {
            if (times < 0) {
                lines.add("row %s is in the topic %d times less than without the kill".formatted(record, -times));
            } else if (times > 0 && !known.contains(record)) {
                lines.add("row %s is in the topic, but must not be".formatted(record));
            } else if (times > 0 && once) {
                lines.add("row %s is in the topic %d times more than without the kill".formatted(record, times));
            }
        });
        return lines.stream()
                .limit(SHOWN)
                .map(line -> "under " + condition + ": " + line)
                .toList();
    }

    private static String text(byte[] record) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(record))
                    .toString();
        } catch (CharacterCodingException e) {
            return "base64 " + Base64.getEncoder().encodeToString(record);
        }
    }
}
