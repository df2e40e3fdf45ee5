package io.thalweg.qalm;

import org.jspecify.annotations.Nullable;

/** Calls decided on under a lane's lock, to be told once it is given back. A chain through the calls themselves. */
final class Decided {
    private @Nullable Call first;
    private @Nullable Call last;

    void add(Call call) {
        if (last == null) {
            first = call;
        } else {
            last.nextDecided = call;
        }
        last = call;
    }

    @Nullable
    Call first() {
        return first;
    }
}
