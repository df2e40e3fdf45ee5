package io.thalweg.jobs.compute;

import java.io.IOException;

/** The version byte in front of each kept value. */
final class StateVersions {
    private StateVersions() {}

    static void check(String what, int found, int known) throws IOException {
        if (found != known) {
            throw new IOException(
                    "the state of %s has version %d, this Thalweg reads version %d; start with the Thalweg that wrote it, or with --resume none"
                            .formatted(what, found, known));
        }
    }
}
