package io.thalweg.bench.demand;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.DoubleStream;

/** Pauses of a JVM that was started with {@link #option}. */
record GcLog(List<Pause> pauses) {
    private static final Pattern PAUSE =
            Pattern.compile("^\\[([^\\]]+)\\].* Pause (.*) (\\d+)M->(\\d+)M\\(\\d+M\\) ([0-9.]+)ms", Pattern.MULTILINE);
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSZ");
    private static final long MIB = 1 << 20;

    /**
     * One pause of all threads for the collector.
     *
     * @param kind as in the log: {@code Full (Diagnostic Command)}
     */
    record Pause(long atMs, String kind, long heapBeforeBytes, long heapAfterBytes, double millis) {
        /** Whether {@code jcmd} requested it. */
        boolean asked() {
            return kind.contains("Diagnostic Command");
        }

        /** Whether only live objects were left. */
        boolean full() {
            return kind.startsWith("Full");
        }
    }

    /** Returns the option that makes a JVM write the file. */
    static String option(Path file) {
        return "-Xlog:gc:file=" + file + ":time:filecount=0";
    }

    static GcLog read(Path file) throws IOException {
        List<Pause> pauses = new ArrayList<>();
        Matcher line = PAUSE.matcher(Files.readString(file));
        while (line.find()) {
            pauses.add(new Pause(
                    OffsetDateTime.parse(line.group(1), TIME).toInstant().toEpochMilli(),
                    line.group(2),
                    Long.parseLong(line.group(3)) * MIB,
                    Long.parseLong(line.group(4)) * MIB,
                    Double.parseDouble(line.group(5))));
        }
        return new GcLog(pauses);
    }

    GcLog between(long fromMs, long toMs) {
        return new GcLog(pauses.stream()
                .filter(pause -> pause.atMs >= fromMs && pause.atMs < toMs)
                .toList());
    }

    /** The most that the heap held, as far as collections show it; 0 without one. */
    long heapPeakBytes() {
        return pauses.stream().mapToLong(Pause::heapBeforeBytes).max().orElse(0);
    }

    /** The longest pause, without requested collections. */
    double longestMillis() {
        return needed().max().orElse(0);
    }

    /** The sum of all pauses, without requested collections. */
    double totalMillis() {
        return needed().sum();
    }

    private DoubleStream needed() {
        return pauses.stream().filter(pause -> !pause.asked()).mapToDouble(Pause::millis);
    }
}
