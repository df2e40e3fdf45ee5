package io.thalweg.jobs.sink;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.common.errors.TransactionalIdNotFoundException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queries the state of a transaction that Kafka refuses to commit, to find out whether its records are committed or lost.
 *
 * <p>After a recovery, the transactions of the restored checkpoint are committed again. The broker answers "fenced" if the commit had
 * succeeded before the failure (each commit raises the producer's epoch), and also if the transaction had timed out and was rolled
 * back. Only the transaction's state distinguishes the two. This relies on a separate id for each transaction, as with
 * {@code TransactionNamingStrategy.INCREMENTING}.
 *
 * <p><b>Threads.</b> One.
 */
final class VerifyingCommitter implements Committer<KafkaCommittable> {
    private static final Logger LOG = LoggerFactory.getLogger(VerifyingCommitter.class);
    private static final int ASK_SECONDS = 30;

    private final Committer<KafkaCommittable> committer;
    private final Supplier<Admin> admins;
    private final Consumer<String> committed;

    /**
     * Wraps a committer.
     *
     * @param committed receives the id of each transaction that has been committed
     */
    VerifyingCommitter(Committer<KafkaCommittable> committer, Supplier<Admin> admins, Consumer<String> committed) {
        this.committer = committer;
        this.admins = admins;
        this.committed = committed;
    }

    @Override
    public void commit(Collection<CommitRequest<KafkaCommittable>> requests) throws IOException, InterruptedException {
        List<Verified> verified = new ArrayList<>(requests.size());
        for (CommitRequest<KafkaCommittable> request : requests) {
            verified.add(new Verified(request));
        }
        committer.commit(List.copyOf(verified));
        verified.stream()
                .filter(request -> !request.open)
                .forEach(request -> committed.accept(request.getCommittable().getTransactionalId()));
    }

    @Override
    public void close() throws IOException {
        try {
            committer.close();
        } catch (Exception e) {
            throw new IOException("cannot close the committer of Kafka transactions", e);
        }
    }

    /** A request that checks the transaction's state when its commit is refused. */
    private final class Verified implements CommitRequest<KafkaCommittable> {
        private final CommitRequest<KafkaCommittable> request;
        /** Whether the commit has failed or is retried. */
        private boolean open;

        Verified(CommitRequest<KafkaCommittable> request) {
            this.request = request;
        }

        @Override
        public void signalFailedWithKnownReason(Throwable refused) {
            String id = request.getCommittable().getTransactionalId();
            try {
                settle(id, refused);
            } catch (ExecutionException | TimeoutException e) {
                signalFailedWithUnknownReason(
                        new IOException("Kafka does not say what became of transaction '" + id + "'", e));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                signalFailedWithUnknownReason(e);
            }
        }

        private void settle(String id, Throwable refused)
                throws ExecutionException, InterruptedException, TimeoutException {
            TransactionDescription found = describe(id);
            TransactionState state = found == null ? TransactionState.UNKNOWN : found.state();
            if (state == TransactionState.COMPLETE_COMMIT
                    || state == TransactionState.PREPARE_COMMIT
                    || (found != null && committedByUs(found))) {
                request.signalAlreadyCommitted();
            } else if (state == TransactionState.UNKNOWN) {
                LOG.warn(
                        "Kafka has forgotten transaction {}, as it does a week after its end: if it was not committed then, the rows of its checkpoint are missing",
                        id,
                        refused);
                request.signalAlreadyCommitted();
            } else {
                signalFailedWithUnknownReason(new LostTransactionException(id, state.toString(), refused));
            }
        }

        /**
         * Returns whether our own commit succeeded. A producer that resumes a transaction from a checkpoint may request one more epoch
         * right after its commit, which leaves the transaction empty. Another job that takes over an open transaction fences it first,
         * which costs a further epoch.
         */
        private boolean committedByUs(TransactionDescription found) {
            KafkaCommittable kept = request.getCommittable();
            return found.state() == TransactionState.EMPTY
                    && found.producerId() == kept.getProducerId()
                    && found.producerEpoch() == kept.getEpoch() + 1;
        }

        /** Returns the coordinator's description of a transaction; null if it no longer knows the transaction. */
        private @Nullable TransactionDescription describe(String id)
                throws ExecutionException, InterruptedException, TimeoutException {
            try (Admin admin = admins.get()) {
                return admin.describeTransactions(List.of(id)).description(id).get(ASK_SECONDS, TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                if (e.getCause() instanceof TransactionalIdNotFoundException) {
                    return null;
                }
                throw e;
            }
        }

        @Override
        public KafkaCommittable getCommittable() {
            return request.getCommittable();
        }

        @Override
        public int getNumberOfRetries() {
            return request.getNumberOfRetries();
        }

        @Override
        public void signalFailedWithUnknownReason(Throwable reason) {
            open = true;
            request.signalFailedWithUnknownReason(reason);
        }

        @Override
        public void retryLater() {
            open = true;
            request.retryLater();
        }

        @Override
        public void updateAndRetryLater(KafkaCommittable committable) {
            open = true;
            request.updateAndRetryLater(committable);
        }

        @Override
        public void signalAlreadyCommitted() {
            request.signalAlreadyCommitted();
        }
    }
}
