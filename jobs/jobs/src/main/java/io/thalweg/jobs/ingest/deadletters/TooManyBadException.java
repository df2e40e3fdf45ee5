package io.thalweg.jobs.ingest.deadletters;

import io.thalweg.model.ingest.Ingest.MaxBad;
import org.apache.flink.runtime.throwable.ThrowableAnnotation;
import org.apache.flink.runtime.throwable.ThrowableType;

/** Reports that more messages are bad than {@code max_bad} allows. A restart of the job would not help. */
@ThrowableAnnotation(ThrowableType.NonRecoverableError)
public final class TooManyBadException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    TooManyBadException(MaxBad limit, long bad, long seen, String reason, IngestDeadLetter first) {
        super(
                "%d of %d messages within %s were bad, more than max_bad.share %s allows; most often %s; the first, %s: %s"
                        .formatted(
                                bad,
                                seen,
                                limit.within().text(),
                                limit.shareText(),
                                reason,
                                first.origin().text(),
                                first.why().detail()));
    }
}
