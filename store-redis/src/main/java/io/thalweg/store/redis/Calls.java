package io.thalweg.store.redis;

import io.lettuce.core.protocol.AsyncCommand;
import io.thalweg.store.StoreException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The script calls of one write: some on their way at once, each reply read. Calls of a connection leave several in one write to its
 * socket, for each write is a call into the kernel and wakes both ends.
 *
 * <p><b>Threads.</b> One.
 */
final class Calls {
    /** In one write to a socket. */
    private static final int TOGETHER = 16;

    private final RedisLink link;
    private final String doing;
    private final int most;
    /** By connection. */
    private final Map<Integer, List<AsyncCommand<byte[], byte[], Long>>> unsent = new HashMap<>();

    /** Those of calls that are not sent yet, too. */
    private final Deque<CompletionStage<Long>> replies = new ArrayDeque<>();

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
        if (replies.size() == most) {
            settle(most * 3 / 4);
        }
        RedisLink.Call call = link.call(script, keys, arguments);
        replies.add(call.reply());
        List<AsyncCommand<byte[], byte[], Long>> group =
                unsent.computeIfAbsent(call.connection(), connection -> new ArrayList<>());
        group.add(call.command());
        if (group.size() == TOGETHER) {
            unsent.remove(call.connection());
            link.send(call.connection(), group);
        }
    }

    /** Sends what is left and waits for all replies, also after a failure, which is thrown then: then it stands what was written. */
    void settle() {
        settle(0);
        if (failure != null) {
            throw failure;
        }
    }

    private void settle(int left) {
        unsent.forEach(link::send);
        unsent.clear();
        while (replies.size() > left) {
            try {
                long unused = link.await(replies.remove(), doing);
            } catch (StoreException e) {
                fail(e);
            }
        }
    }

    /** Notes what failed; the first is what {@link #settle} throws. */
    void fail(StoreException e) {
        failure = failure == null ? e : failure;
    }
}
