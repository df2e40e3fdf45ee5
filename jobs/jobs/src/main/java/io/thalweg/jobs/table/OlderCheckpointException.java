package io.thalweg.jobs.table;

import org.apache.flink.runtime.throwable.ThrowableAnnotation;
import org.apache.flink.runtime.throwable.ThrowableType;

/** Reports that a table contains rows of later checkpoints than the one that a job resumes from. A restart would not help. */
@ThrowableAnnotation(ThrowableType.NonRecoverableError)
public final class OlderCheckpointException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    OlderCheckpointException(IllegalStateException cause) {
        super(cause.getMessage(), cause);
    }
}
