package io.thalweg.cli.run;

import io.thalweg.records.row.Output;
import io.thalweg.records.row.Row;
import io.thalweg.records.row.RowFunction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

/** A function that passes at most 20,000 events per second while a file {@code slow} exists, so that few events keep a job busy. */
public final class Slow implements RowFunction {
    private static final int EVENTS = 100;
    private static final int PAUSE_MS = 5;

    private Path slow = Path.of("slow");
    private long seen;

    @Override
    public void open(Map<String, String> config) {
        slow = Path.of(Objects.requireNonNull(config.get("slow")));
    }

    @Override
    public void apply(Row event, Output out) throws InterruptedException {
        if (++seen % EVENTS == 0 && Files.exists(slow)) {
            Thread.sleep(PAUSE_MS);
        }
        out.emit(event);
    }
}
