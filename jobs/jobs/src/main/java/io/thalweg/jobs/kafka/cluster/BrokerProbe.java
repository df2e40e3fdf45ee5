package io.thalweg.jobs.kafka.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.DescribeClusterOptions;

/**
 * Checks clusters every two seconds for a broker that answers within five, and reports to {@link BrokerContact}. This covers clusters
 * that are only written, and reads by Flink's own connectors, which retry without end and do not report it.
 *
 * <p><b>Threads.</b> Runs on its own thread, and on one of each cluster's client.
 */
public final class BrokerProbe implements AutoCloseable {
    private static final int PAUSE_MS = 2_000;
    private static final int ANSWER_MS = 5_000;

    private final List<Target> targets = new ArrayList<>();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "thalweg-broker-probe");
        thread.setDaemon(true);
        return thread;
    });

    private BrokerProbe() {}

    /**
     * Starts a probe.
     *
     * @param clusters client properties of each, including {@code bootstrap.servers}
     */
    public static BrokerProbe start(Collection<Map<String, String>> clusters) {
        BrokerProbe probe = new BrokerProbe();
        for (Map<String, String> cluster : clusters) {
            Properties properties = new Properties();
            properties.putAll(cluster);
            BrokerContact contact =
                    BrokerContact.of(properties.getProperty(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, ""));
            probe.targets.add(new Target(Admin.create(properties), contact));
        }
        var unused = probe.timer.scheduleWithFixedDelay(
                () -> probe.targets.forEach(Target::ask), PAUSE_MS, PAUSE_MS, TimeUnit.MILLISECONDS);
        return probe;
    }

    @Override
    public void close() {
        timer.shutdownNow();
        for (Target target : targets) {
            target.contact.gone(target);
            target.admin.close(Duration.ZERO);
        }
    }

    /** A cluster, with at most one check in flight. */
    private static final class Target {
        private final Admin admin;
        private final BrokerContact contact;
        private final AtomicBoolean asked = new AtomicBoolean();

        Target(Admin admin, BrokerContact contact) {
            this.admin = admin;
            this.contact = contact;
        }

        void ask() {
            if (!asked.compareAndSet(false, true)) {
                return;
            }
            DescribeClusterOptions soon = new DescribeClusterOptions().timeoutMs(ANSWER_MS);
            var unused = admin.describeCluster(soon).nodes().whenComplete((nodes, failure) -> {
                asked.set(false);
                if (failure == null) {
                    contact.answered(this);
                } else {
                    contact.failed(this, failure);
                }
            });
        }
    }
}
