package io.thalweg.qalm;

import org.jspecify.annotations.Nullable;

/** The calls decided under a lane's lock, to be notified after it is released. Linked through the calls, so it allocates no list. */
final class DecidedCalls {
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

    void refuse(Call call, Refusal reason) {
        call.refuse(reason);
        add(call);
    }

    @Nullable
    Call first() {
        return first;
    }
}
