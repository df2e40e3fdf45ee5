package io.thalweg.jobs.ingest.deadletters;

import org.apache.flink.runtime.throwable.ThrowableAnnotation;
import org.apache.flink.runtime.throwable.ThrowableType;

/** Reports a bad message of an ingest with {@code on_bad_event: fail}. A restart would fail on it again. */
@ThrowableAnnotation(ThrowableType.NonRecoverableError)
public final class BadMessageException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    public BadMessageException(IngestDeadLetter letter) {
        super("%s has on_bad_event: fail, and %s is bad (%s): %s"
                .formatted(
                        letter.ingest(),
                        letter.origin().text(),
                        letter.why().fault().reason(),
                        letter.why().detail()));
    }
}
