package io.thalweg.jobs.kafka;

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
 * Which batches of an answer belong to transactions that were given up: the broker sends them all the same, with a
 * list of those transactions, and its reader has to leave them out.
 *
 * <p><b>Threads.</b> One; batches are asked about in the order of their offsets, each once.
 */
final class AbortedTransactions {
    /** Those that begin behind the last batch asked about. */
    private final Queue<AbortedTransaction> ahead =
            new PriorityQueue<>(Comparator.comparingLong(AbortedTransaction::firstOffset));
    /** Whose transactions are under way at the last batch asked about. */
    private final Set<Long> producers = new HashSet<>();

    AbortedTransactions(@Nullable List<AbortedTransaction> listed) {
        if (listed != null) {
            ahead.addAll(listed);
        }
    }

    /** Whether a batch's records are of no account. */
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
