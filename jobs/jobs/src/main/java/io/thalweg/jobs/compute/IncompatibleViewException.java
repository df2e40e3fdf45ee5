package io.thalweg.jobs.compute;

import org.apache.flink.runtime.throwable.ThrowableAnnotation;
import org.apache.flink.runtime.throwable.ThrowableType;

/** Thrown if a view's kept state does not match the view's current definition; a restart would not help. */
@ThrowableAnnotation(ThrowableType.NonRecoverableError)
public final class IncompatibleViewException extends IllegalStateException {
    public IncompatibleViewException(String message) {
        super(message);
    }
}
