package io.thalweg.cli.run;

import io.thalweg.records.row.Output;
import io.thalweg.records.row.Row;
import io.thalweg.records.row.RowFunction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A function that does what a function must not do, selected by the status of the ride. */
public final class Misbehaving implements RowFunction {
    private Path once = Path.of("once");

    /** Hangs until there is a file {@code once}, or the test is over and its folder is gone. */
    @Override
    public void open(Map<String, String> config) {
        once = Path.of(config.getOrDefault("once", "once")).toAbsolutePath();
    }

    @Override
    public void apply(Row ride, Output out) throws IOException, InterruptedException {
        String status = String.valueOf(ride.text("status"));
        switch (status) {
            case "THROWS" -> throw new IllegalStateException("a defect");
            case "RECURSES" -> apply(ride, out);
            case "LACKS_A_CLASS" -> throw new NoClassDefFoundError("lost/Class");
            case "DOES_NOT_ANSWER" -> {}
            case "REJECTS" -> out.reject("not wanted");
            case "EMITS_AND_THROWS" -> {
                out.emit(ride);
                throw new IllegalStateException("too late");
            }
            case "KILLS_ITS_THREAD" -> throw new ThreadDeath();
            case "IS_INTERRUPTED" -> throw new InterruptedException("by itself");
            case "INTERRUPTS_ITS_THREAD" -> {
                Thread.currentThread().interrupt();
                out.emit(ride);
            }
            case "HANGS_ONCE" -> {
                if (Files.notExists(once)) {
                    Files.createFile(once);
                    Thread.sleep(Long.MAX_VALUE);
                }
                out.emit(ride);
            }
            case "SPINS" -> {
                while (Files.notExists(once) && Files.exists(once.resolveSibling("rides.yaml"))) {
                    Thread.onSpinWait();
                }
                out.emit(ride);
            }
            default -> out.emit(ride);
        }
    }
}
