package io.thalweg.jobs.kafka;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the brokers of a cluster answer this process. Reports when they stop and when they start again, once each, however many
 * readers notice.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class BrokerContact {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerContact.class);
    private static final Map<String, BrokerContact> CLUSTERS = new ConcurrentHashMap<>();

    private final String bootstrap;
    /** The readers that get no answer; one that is gone counts no more. */
    private final Set<Object> without = Collections.newSetFromMap(new WeakHashMap<>());

    private BrokerContact(String bootstrap) {
        this.bootstrap = bootstrap;
    }

    static BrokerContact of(String bootstrap) {
        return CLUSTERS.computeIfAbsent(bootstrap, BrokerContact::new);
    }

    /** Whether the brokers of every cluster that this process reads answer. */
    public static boolean allAnswer() {
        return CLUSTERS.values().stream().noneMatch(BrokerContact::isLost);
    }

    private synchronized boolean isLost() {
        return !without.isEmpty();
    }

    /** A reader got no answer. */
    synchronized void lost(Object reader, Throwable cause) {
        if (without.isEmpty()) {
            LOG.warn("Kafka at {} does not answer; reading continues when it does: {}", bootstrap, cause.getMessage());
        }
        without.add(reader);
    }

    /** A reader got an answer, or ends. */
    synchronized void answered(Object reader) {
        if (without.remove(reader) && without.isEmpty()) {
            LOG.warn("Kafka at {} answers again", bootstrap);
        }
    }
}
