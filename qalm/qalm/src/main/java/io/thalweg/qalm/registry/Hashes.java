package io.thalweg.qalm.registry;

import org.jspecify.annotations.Nullable;

/**
 * The hash of each source's document when it last took effect. A document with the same hash is not an edit. Null if the source has
 * never supplied one.
 */
record Hashes(@Nullable String file, @Nullable String control) {
    static final Hashes NONE = new Hashes(null, null);

    /** A source that the registry polls; its name in lower case is the author in the audit trail. */
    enum Source {
        FILE,
        CONTROL
    }

    @Nullable
    String of(Source source) {
        return source == Source.FILE ? file : control;
    }

    Hashes with(Source source, String hash) {
        return source == Source.FILE ? new Hashes(hash, control) : new Hashes(file, hash);
    }
}
