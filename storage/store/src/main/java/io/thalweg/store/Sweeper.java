package io.thalweg.store;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread that removes expired rows, a bounded step a second. */
final class Sweeper implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Sweeper.class);

    private final Runnable step;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread made = new Thread(task, "thalweg-store-sweep");
        made.setDaemon(true);
        return made;
    });
    private String reported = "";

    Sweeper(Runnable step) {
        this.step = step;
    }

    void start() {
        var unused = thread.scheduleWithFixedDelay(this::safely, 1, 1, TimeUnit.SECONDS);
    }

    /** A failed step must not cancel later ones: the disk would grow unnoticed. A failure that repeats is reported once. */
    private void safely() {
        try {
            step.run();
            reported = "";
        } catch (RuntimeException e) {
            String trouble = String.valueOf(e.getMessage());
            if (!trouble.equals(reported)) {
                LOG.warn("expired rows stay on disk until an attempt succeeds: {}", trouble, e);
                reported = trouble;
            }
        }
    }

    @Override
    public void close() {
        thread.shutdown();
        boolean interrupted = false;
        while (true) {
            try {
                if (thread.awaitTermination(1, TimeUnit.MINUTES)) {
                    break;
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
