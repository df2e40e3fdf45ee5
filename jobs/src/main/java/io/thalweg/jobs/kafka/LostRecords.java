package io.thalweg.jobs.kafka;

import java.io.Serializable;

/**
 * Makes an element of records that Kafka deleted before they were read, so that they are counted in the job's state.
 *
 * @param <T> an element
 */
@FunctionalInterface
public interface LostRecords<T> extends Serializable {
    /**
     * Makes it. Not every offset was that of a record: marks of transactions have offsets, too.
     *
     * @param from the first offset that is lost
     * @param to the first offset that there is
     */
    T lost(String topic, int partition, long from, long to);
}
