package io.thalweg.devkit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

/**
 * Writes the event files of {@code examples/}: five minutes of a small town's evening. Run with the folder as the argument.
 */
final class ExampleEvents {
    static final long FROM_MS = Instant.parse("2026-01-01T18:00:00Z").toEpochMilli();
    static final long TO_MS = Instant.parse("2026-01-01T18:05:00Z").toEpochMilli();
    static final int RIDERS = 1_000;
    static final int DRIVERS = 300;

    private static final double SECONDS = 300;

    private ExampleEvents() {}

    /** Writes both files. */
    public static void main(String[] args) throws IOException {
        Path folder = Path.of(args[0]);
        Files.write(folder.resolve("rider-events.jsonl"), riders());
        Files.write(folder.resolve("driver-events.jsonl"), drivers());
    }

    static byte[] riders() {
        Lines lines = new Lines();
        new CitySimulator(town(RIDERS, 0)).riderEvents(FROM_MS, TO_MS, lines);
        return lines.bytes.toByteArray();
    }

    static byte[] drivers() {
        Lines lines = new Lines();
        new CitySimulator(town(DRIVERS, 1)).driverEvents(FROM_MS, TO_MS, lines);
        return lines.bytes.toByteArray();
    }

    private static CityConfig town(int events, double driverShare) {
        return new CityConfig(7, events / SECONDS, driverShare, 40.7484, -73.9857, 2, 2_000, 500, 4, 0.3, 4_000);
    }

    private static final class Lines implements EventSink {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        @Override
        public void event(long eventTimeMs, byte[] id, byte[] json) {
            bytes.writeBytes(json);
            bytes.write('\n');
        }
    }
}
