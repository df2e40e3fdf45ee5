package io.thalweg.jobs;

import java.io.IOException;
import org.apache.flink.runtime.throwable.ThrowableAnnotation;
import org.apache.flink.runtime.throwable.ThrowableType;

/**
 * Thrown if a checkpoint or savepoint holds state in a version that this Thalweg cannot read, such as that of a later release. The job
 * fails at once, because a retry cannot succeed.
 */
@ThrowableAnnotation(ThrowableType.NonRecoverableError)
public final class StateVersionException extends IOException {
    private static final long serialVersionUID = 1L;

    private StateVersionException(String message) {
        super(message);
    }

    /**
     * Checks the version number of stored state.
     *
     * @param what the content of the state, for the message
     * @throws StateVersionException if the version is not the known one
     */
    public static void check(String what, int found, int known) throws StateVersionException {
        check(what, found, known, known);
    }

    /**
     * Checks the version number of stored state of which several versions can be read.
     *
     * @param what the content of the state, for the message
     * @throws StateVersionException if the version is not a known one
     */
    public static void check(String what, int found, int oldest, int newest) throws StateVersionException {
        if (found < oldest || found > newest) {
            throw new StateVersionException(
                    "the state of %s has version %d, this Thalweg reads %s; start with the Thalweg that wrote it, or with --resume none"
                            .formatted(
                                    what,
                                    found,
                                    oldest == newest
                                            ? "version " + newest
                                            : "versions %d to %d".formatted(oldest, newest)));
        }
    }
}
