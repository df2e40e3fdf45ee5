package io.thalweg.bench.ingest;

import io.thalweg.bench.harness.TopicWriter;
import io.thalweg.jobs.ingest.message.MadeUpMessages;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A topic of rides: records are sent to its partitions in turn, with the time at which they are sent. */
final class RideTopic implements MadeUpMessages.Records {
    private final TopicWriter topic;
    private final int partitions;
    private long records;

    RideTopic(String bootstrap, String name) {
        topic = new TopicWriter(bootstrap, name);
        partitions = topic.partitions();
    }

    @Override
    public void write(byte[] record, @Nullable String codec) throws IOException {
        topic.send((int) (records++ % partitions), System.currentTimeMillis(), null, record);
    }

    @Override
    public void close() throws IOException {
        topic.close();
    }
}
