package io.thalweg.jobs.kafka.fetch;

import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import org.apache.kafka.common.record.ControlRecordType;
import org.apache.kafka.common.record.Record;
import org.apache.kafka.common.record.RecordBatch;
import org.jspecify.annotations.Nullable;

/**
 * Identifies the batches of a response that belong to aborted transactions. The broker sends these batches together with a list of the
 * transactions, and the reader must skip them.
 *
 * <p><b>Threads.</b> Single-threaded; batches are checked in the order of their offsets, each once.
 */
public final class AbortedTransactions {
    /** Transactions that begin after the last batch checked. */
    private final Queue<AbortedTransaction> ahead =
            new PriorityQueue<>(Comparator.comparingLong(AbortedTransaction::firstOffset));
    /** Producers whose aborted transactions are open at the last batch checked. */
    private final Set<Long> producers = new HashSet<>();

    public AbortedTransactions(@Nullable List<AbortedTransaction> listed) {
        if (listed != null) {
            ahead.addAll(listed);
        }
    }

    /** Returns whether a batch belongs to an aborted transaction. */
    boolean include(RecordBatch batch) {
        if (!batch.hasProducerId()) {
            return false;
        }
        while (!ahead.isEmpty() && ahead.element().firstOffset() <= batch.lastOffset()) {
            producers.add(ahead.remove().producerId());
        }
        if (isAbort(batch)) {
            producers.remove(batch.producerId());
        }
        return batch.isTransactional() && producers.contains(batch.producerId());
    }

    private static boolean isAbort(RecordBatch batch) {
        if (!batch.isControlBatch()) {
            return false;
        }
        Iterator<Record> records = batch.iterator();
        return records.hasNext() && ControlRecordType.parse(records.next().key()) == ControlRecordType.ABORT;
    }
}
