package io.thalweg.jobs.embedded;

import java.util.stream.Stream;
import org.apache.flink.client.deployment.executors.LocalExecutor;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.DeploymentOptions;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.PipelineExecutor;
import org.apache.flink.core.execution.PipelineExecutorFactory;
import org.apache.flink.core.execution.PipelineExecutorServiceLoader;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/**
 * Runs a job in a mini cluster of this process. All its ports listen on the loopback address. Its REST endpoint serves only this
 * process, see {@link RestGuard}, and its BLOB server refuses all clients, see {@link ClosedBlobServer}.
 *
 * <p><b>Threads.</b> Confined to the caller's thread.
 */
@SuppressWarnings("try") // inherited: close() throws Exception
public final class EmbeddedEnvironment extends StreamExecutionEnvironment {
    private static final String LOOPBACK = "127.0.0.1";

    private final Executors executors;

    private EmbeddedEnvironment(Executors executors, Configuration configuration) {
        super(executors, configuration, null);
        this.executors = executors;
    }

    /** Creates an environment that starts a mini cluster per job. Addresses and ports in {@code configuration} are overridden. */
    public static EmbeddedEnvironment create(int parallelism, Configuration configuration) {
        return create(parallelism, configuration, null);
    }

    /**
     * Creates an environment whose jobs share a cluster.
     *
     * @param shared the cluster of all jobs; null = a cluster for each job
     */
    public static EmbeddedEnvironment create(
            int parallelism, Configuration configuration, @Nullable EmbeddedCluster shared) {
        Configuration closed = new Configuration(configuration);
        closed.set(DeploymentOptions.TARGET, LocalExecutor.NAME);
        closed.set(DeploymentOptions.ATTACHED, true);
        closed.set(JobManagerOptions.ADDRESS, LOOPBACK);
        closed.set(JobManagerOptions.BIND_HOST, LOOPBACK); // otherwise the BLOB server listens on all addresses
        closed.set(TaskManagerOptions.HOST, LOOPBACK);
        closed.set(TaskManagerOptions.BIND_HOST, LOOPBACK);
        closed.set(RestOptions.ADDRESS, LOOPBACK);
        closed.set(RestOptions.BIND_ADDRESS, LOOPBACK);
        closed.set(RestOptions.BIND_PORT, "0");
        closed.set(WebOptions.SUBMIT_ENABLE, false);
        closed.set(WebOptions.CANCEL_ENABLE, false);
        closed.set(WebOptions.RESCALE_ENABLE, false);
        closed.set(WebOptions.ACCESS_CONTROL_ALLOW_ORIGIN, "none");
        ClosedBlobServer.configure(closed);
        closed.set(RestGuard.SECRET, RestGuard.secret(System.getenv()));
        EmbeddedEnvironment environment = new EmbeddedEnvironment(new Executors(shared), closed);
        environment.setParallelism(parallelism);
        return environment;
    }

    /**
     * Returns the job that was started last.
     *
     * @throws IllegalStateException before a job is started
     */
    public EmbeddedJob job(JobClient started) {
        return new EmbeddedJob(cluster(), started.getJobID(), getConfiguration().get(RestGuard.SECRET));
    }

    MiniCluster cluster() {
        MiniCluster cluster = executors.cluster;
        if (cluster == null) {
            throw new IllegalStateException("no job has been started");
        }
        return cluster;
    }

    /** Creates local executors and remembers their cluster. */
    private static final class Executors implements PipelineExecutorServiceLoader, PipelineExecutorFactory {
        private final @Nullable EmbeddedCluster shared;
        private volatile @Nullable MiniCluster cluster;

        Executors(@Nullable EmbeddedCluster shared) {
            this.shared = shared;
        }

        @Override
        public PipelineExecutorFactory getExecutorFactory(Configuration configuration) {
            return this;
        }

        @Override
        public Stream<String> getExecutorNames() {
            return Stream.of(getName());
        }

        @Override
        public String getName() {
            return LocalExecutor.NAME;
        }

        @Override
        public boolean isCompatibleWith(Configuration configuration) {
            return true;
        }

        @Override
        public PipelineExecutor getExecutor(Configuration configuration) {
            return LocalExecutor.createWithFactory(configuration, this::start);
        }

        private MiniCluster start(MiniClusterConfiguration configuration) {
            MiniCluster started = shared == null ? new MiniCluster(configuration) : shared.of(configuration);
            cluster = started;
            return started;
        }
    }
}
