package io.thalweg.jobs.table;

import io.thalweg.tables.iceberg.TableCompactor;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Compacts a table periodically on its own thread, so that commits do not wait for it. A failed pass is retried at the next interval. */
final class CompactionThread implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CompactionThread.class);
    private static final long PATIENCE_SECONDS = 30;

    private final String table;
    private final Supplier<TableCompactor> open;
    private final ScheduledExecutorService thread;
    private volatile boolean closed;

    private CompactionThread(String table, Supplier<TableCompactor> open) {
        this.table = table;
        this.open = open;
        thread = Executors.newSingleThreadScheduledExecutor(run -> {
            Thread daemon = new Thread(run, "compact " + table);
            daemon.setDaemon(true);
            return daemon;
        });
    }

    /** Starts the thread; the first pass runs after one interval. */
    static CompactionThread start(String table, Duration every, Supplier<TableCompactor> open) {
        CompactionThread thread = new CompactionThread(table, open);
        var unused = thread.thread.scheduleWithFixedDelay(
                thread::pass, every.toMillis(), every.toMillis(), TimeUnit.MILLISECONDS);
        return thread;
    }

    private void pass() {
        try (TableCompactor compactor = open.get()) {
            TableCompactor.Compacted done = compactor.compact(this::requireOpen);
            if (done.before() > 0) {
                LOG.info(
                        "Compacted {} files of {} into {} of {} bytes",
                        done.before(),
                        table,
                        done.after(),
                        done.bytes());
            }
        } catch (CancellationException e) {
            LOG.debug("Compaction of {} ends with its job", table);
        } catch (Exception e) {
            LOG.warn("{} could not be compacted; trying again later", table, e);
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new CancellationException();
        }
    }

    /** Stops a running pass between two rows, or after its commit. */
    @Override
    public void close() {
        closed = true;
        thread.shutdown();
        try {
            if (!thread.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("Compaction of {} has not ended within {} s; it is left to itself", table, PATIENCE_SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
