package io.thalweg.runner;

import io.thalweg.google.pubsub.PubSubTopic;
import io.thalweg.jobs.ingest.message.MadeUpMessages;
import io.thalweg.warehouse.WarehouseException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Publishes records to a Pub/Sub topic, without naming their compression. */
public record PublishedRecords(PubSubTopic topic) implements MadeUpMessages.Records {
    @Override
    public void write(byte[] record, @Nullable String codec) throws IOException {
        try {
            topic.publish(record);
        } catch (WarehouseException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Returns when all records are published. */
    @Override
    public void close() throws IOException {
        try {
            topic.close();
        } catch (WarehouseException e) {
            throw new IOException(e.getMessage(), e);
        }
    }
}
