package io.thalweg.qalm.registry;

import org.jspecify.annotations.Nullable;

/** Of the document that each source had when it was last put in force: what has not changed is no edit. Null = never. */
record Hashes(@Nullable String file, @Nullable String control) {
    static final Hashes NONE = new Hashes(null, null);

    /** Who says something without being asked by people; its name in the audit trail is the word in lower case. */
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
