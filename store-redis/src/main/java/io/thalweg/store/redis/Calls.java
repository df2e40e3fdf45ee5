package io.thalweg.store.redis;

import io.thalweg.store.StoreException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The script calls of one write: some on their way at once, each reply read.
 *
 * <p><b>Threads.</b> One.
 */
final class Calls {
    private final RedisLink link;
    private final String doing;
    private final int most;
    private final Deque<CompletionStage<Long>> sent = new ArrayDeque<>();
    private @Nullable StoreException failure;

    /**
     * Calls over a link.
     *
     * @param doing what fails if one fails
     * @param most on their way at once
     */
    Calls(RedisLink link, String doing, int most) {
        this.link = link;
        this.doing = doing;
        this.most = most;
    }

    /** Whether one has failed: then nothing more is to be sent. */
    boolean failed() {
        return failure != null;
    }

    /** Calls a script for keys of one lane, as soon as there is room. */
    void send(Script script, byte[][] keys, byte[][] arguments) {
        if (sent.size() == most) {
            settleOne();
        }
        try {
            sent.add(link.write(doing, script, keys, arguments));
        } catch (StoreException e) {
            fail(e);
        }
    }

    /** Waits for all that were sent, also after a failure, which is thrown then: then it stands what was written. */
    void settle() {
        while (!sent.isEmpty()) {
            settleOne();
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void settleOne() {
        try {
            long unused = link.await(sent.remove(), doing);
        } catch (StoreException e) {
            fail(e);
        }
    }

    /** Notes what failed; the first is what {@link #settle} throws. */
    void fail(StoreException e) {
        failure = failure == null ? e : failure;
    }
}
