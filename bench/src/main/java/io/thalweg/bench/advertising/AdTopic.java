package io.thalweg.bench.advertising;

import io.thalweg.bench.harness.Broker;
import io.thalweg.bench.harness.TopicWriter;
import java.io.IOException;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * A topic with all events of a load, followed in each partition by one event that advances event time.
 *
 * @param events the number of events of {@code campaigns} campaigns
 */
public record AdTopic(String bootstrap, String name, int partitions, int campaigns, long events) {
    /** Further beyond the last window than any system lets events be late. */
    private static final long BEYOND_MS = 60_000;

    private static final long SAY_EVENTS = 1_000_000;

    /** Creates the topic and sends the events; {@code sent} receives the number sent from time to time. */
    public void produce(LongConsumer sent) throws IOException, InterruptedException {
        Broker.createTopic(bootstrap, name, partitions, Map.of());
        AdLoad load = load();
        AdJson json = new AdJson(load);
        try (TopicWriter topic = new TopicWriter(bootstrap, name)) {
            for (long event = 0; event < events; event++) {
                topic.send((int) (event % partitions), load.timeMs(event), null, json.event(event));
                if (event % SAY_EVENTS == 0) {
                    sent.accept(event);
                }
            }
            long beyondMs = AdLoad.lastWindowEndMs() + BEYOND_MS;
            for (int partition = 0; partition < partitions; partition++) {
                topic.send(partition, beyondMs, null, json.last(beyondMs));
            }
        }
    }

    /** Returns the load in the topic. */
    AdLoad load() {
        return AdLoad.of(campaigns, events);
    }
}
