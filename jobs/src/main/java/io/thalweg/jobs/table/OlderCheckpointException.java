package io.thalweg.jobs.table;

import org.apache.flink.runtime.throwable.ThrowableAnnotation;
import org.apache.flink.runtime.throwable.ThrowableType;

/** A table has rows of later checkpoints than the one that a job resumes from. To restart the job would not help. */
@ThrowableAnnotation(ThrowableType.NonRecoverableError)
public final class OlderCheckpointException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    OlderCheckpointException(IllegalStateException cause) {
        super(cause.getMessage(), cause);
    }
}
