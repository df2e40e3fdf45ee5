package io.thalweg.jobs.sink;

/** Thrown if Kafka has rolled back a transaction whose rows a checkpoint counts as written: they will never be readable. */
public final class LostTransactionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    LostTransactionException(String transactionalId, String state, Throwable cause) {
        super(
                "Kafka rolled back transaction '%s' (now %s) before it could be committed, so the rows of one checkpoint are missing; usual reason: the job was down for longer than transaction.timeout.ms. To write them again start with --resume and the path of an older checkpoint (what was committed since is then repeated), or with --resume none; raise transaction.timeout.ms of the cluster in thalweg.yaml, and transaction.max.timeout.ms of the broker, above the longest outage"
                        .formatted(transactionalId, state),
                cause);
    }
}
