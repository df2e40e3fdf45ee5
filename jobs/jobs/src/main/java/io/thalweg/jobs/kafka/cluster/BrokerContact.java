package io.thalweg.jobs.kafka.cluster;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.kafka.common.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks whether the brokers of a cluster answer this process. Logs when they stop and when they answer again, once each, however many
 * observers notice: the readers of a job, which contact the leaders of their partitions, and a {@link BrokerProbe}.
 *
 * <p><b>Threads.</b> Thread-safe.
 */
public final class BrokerContact {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerContact.class);
    private static final Map<String, BrokerContact> CLUSTERS = new ConcurrentHashMap<>();

    private final String bootstrap;
    private final Consumer<String> report;
    /** The observers without an answer. */
    private final Set<Object> without = Collections.newSetFromMap(new WeakHashMap<>());

    private volatile boolean lost;

    BrokerContact(String bootstrap, Consumer<String> report) {
        this.bootstrap = bootstrap;
        this.report = report;
    }

    public static BrokerContact of(String bootstrap) {
        return CLUSTERS.computeIfAbsent(bootstrap, key -> new BrokerContact(key, LOG::warn));
    }

    /** Returns whether the brokers of a cluster answer; true until an observer reports otherwise. */
    public static boolean isUp(String bootstrap) {
        return !of(bootstrap).lost;
    }

    /** Reports that an observer got an error. An error that only a broker can send is an answer. */
    public void failed(Object observer, Throwable cause) {
        if (cause instanceof RetriableException) {
            lost(observer);
        } else {
            answered(observer);
        }
    }

    private synchronized void lost(Object observer) {
        without.add(observer);
        if (!lost) {
            lost = true;
            report.accept("Kafka at " + bootstrap + " does not answer; the job continues where it was when it does");
        }
    }

    /** Reports that an observer got an answer. */
    public void answered(Object observer) {
        if (lost) {
            found(observer);
        }
    }

    private synchronized void found(Object observer) {
        without.remove(observer);
        if (lost && without.isEmpty()) {
            lost = false;
            report.accept("Kafka at " + bootstrap + " answers again");
        }
    }

    /** Removes an observer that ends, without a conclusion about the brokers. */
    public synchronized void gone(Object observer) {
        without.remove(observer);
    }
}
