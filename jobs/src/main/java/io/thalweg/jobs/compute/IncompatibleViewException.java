package io.thalweg.jobs.compute;

import org.apache.flink.runtime.throwable.ThrowableAnnotation;
import org.apache.flink.runtime.throwable.ThrowableType;

/** A view's kept state means something else than the view says now; restarting would not help. */
@ThrowableAnnotation(ThrowableType.NonRecoverableError)
public final class IncompatibleViewException extends IllegalStateException {
    public IncompatibleViewException(String message) {
        super(message);
    }
}
