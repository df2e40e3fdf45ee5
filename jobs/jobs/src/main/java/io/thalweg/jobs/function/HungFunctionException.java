package io.thalweg.jobs.function;

import io.thalweg.model.ingest.Ingest.Transform;
import io.thalweg.warehouse.EncodedRows.Origin;

/** Reports that a call of the user function has timed out. The job restarts, because what the function waits for may be available then. */
public final class HungFunctionException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    public HungFunctionException(String ingest, Transform transform, Origin origin) {
        super(
                "%s: function %s has not returned within %s (transform.timeout) for %s; give the calls in which it waits a timeout of their own, or exclude such messages with where"
                        .formatted(
                                ingest,
                                transform.className(),
                                transform.timeout().text(),
                                origin.text()));
    }
}
