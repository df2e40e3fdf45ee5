package io.thalweg.jobs.stream;

import io.thalweg.warehouse.LostCommitException;
import org.apache.flink.runtime.throwable.ThrowableAnnotation;
import org.apache.flink.runtime.throwable.ThrowableType;

/** Reports that rows of a checkpoint can no longer become visible. The same checkpoint would fail again, so the job is not restarted. */
@ThrowableAnnotation(ThrowableType.NonRecoverableError)
public final class LostRowsException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    LostRowsException(LostCommitException cause) {
        super(cause.getMessage(), cause);
    }
}
