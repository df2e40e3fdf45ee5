package io.thalweg.jobs.ingest;

import org.apache.flink.runtime.throwable.ThrowableAnnotation;
import org.apache.flink.runtime.throwable.ThrowableType;

/** A bad message of an ingest with {@code on_bad_event: fail}; it would be as bad after a restart. */
@ThrowableAnnotation(ThrowableType.NonRecoverableError)
public final class BadMessageException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    BadMessageException(IngestLetter letter) {
        super("%s has on_bad_event: fail, and %s is bad (%s): %s"
                .formatted(
                        letter.ingest(),
                        letter.origin().text(),
                        letter.why().fault().reason(),
                        letter.why().detail()));
    }
}
