package io.thalweg.jobs.embedded;

import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.jspecify.annotations.Nullable;

/**
 * A mini cluster of this process that several jobs share. It starts with the first job, with that job's configuration, and stops when
 * it is closed.
 *
 * <p><b>Threads.</b> Confined to the caller's thread.
 */
public final class EmbeddedCluster implements AutoCloseable {
    private @Nullable Kept cluster;

    MiniCluster of(MiniClusterConfiguration configuration) {
        Kept kept = cluster;
        if (kept == null) {
            kept = new Kept(configuration);
            cluster = kept;
        }
        return kept;
    }

    /** Stops the cluster and the jobs that are still running. */
    @Override
    public void close() {
        Kept kept = cluster;
        if (kept != null) {
            kept.stop().join();
        }
    }

    /** Flink starts and closes a local cluster with every job; this one starts and stops once. */
    @SuppressWarnings("try") // inherited: close() throws Exception
    private static final class Kept extends MiniCluster {
        private boolean started;

        Kept(MiniClusterConfiguration configuration) {
            super(configuration);
        }

        @Override
        public void start() throws Exception {
            if (!started) {
                super.start();
                started = true;
            }
        }

        @Override
        public CompletableFuture<Void> closeAsync() {
            return CompletableFuture.completedFuture(null);
        }

        CompletableFuture<Void> stop() {
            return super.closeAsync();
        }
    }
}
