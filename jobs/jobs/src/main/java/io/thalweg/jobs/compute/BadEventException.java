package io.thalweg.jobs.compute;

import io.thalweg.formats.DeadLetter;
import org.apache.flink.runtime.throwable.ThrowableAnnotation;
import org.apache.flink.runtime.throwable.ThrowableType;

/** Thrown for a bad event of a view with {@code on_bad_event: fail}. A restart would meet the same event. */
@ThrowableAnnotation(ThrowableType.NonRecoverableError)
public final class BadEventException extends IllegalStateException {
    BadEventException(DeadLetter letter) {
        super("view %s has on_bad_event: fail, and event %d of partition %d of %s is bad (%s): %s"
                .formatted(
                        letter.view(),
                        letter.offset(),
                        letter.partition(),
                        letter.source(),
                        letter.reason().text(),
                        letter.detail()));
    }
}
