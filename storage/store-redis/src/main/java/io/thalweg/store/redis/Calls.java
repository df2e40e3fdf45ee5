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
 * The script calls of one write: several are in flight at once, and every reply is read. Calls of a connection are written to its
 * socket in groups, because each write is a system call and wakes both ends.
 *
 * <p><b>Threads.</b> One.
 */
final class Calls {
    /** Calls in one write to a socket. */
    private static final int TOGETHER = 16;

    private final RedisLink link;
    private final String doing;
    private final int most;
    /** By connection. */
    private final Map<Integer, List<AsyncCommand<byte[], byte[], Long>>> unsent = new HashMap<>();

    /** The replies, including those of calls that are not sent yet. */
    private final Deque<CompletionStage<Long>> replies = new ArrayDeque<>();

    private @Nullable StoreException failure;

    /**
     * Creates calls over a link.
     *
     * @param doing what fails if one fails
     * @param most calls in flight at once
     */
    Calls(RedisLink link, String doing, int most) {
        this.link = link;
        this.doing = doing;
        this.most = most;
    }

    /** Whether a call has failed; then nothing more should be sent. */
    boolean failed() {
        return failure != null;
    }

    /** Calls a script for keys of one slot, as soon as fewer than {@code most} calls are in flight. */
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

    /**
     * Sends the remaining calls and waits for all replies, even after a failure, which is then thrown: once this returns or throws,
     * the state of the store is settled.
     */
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

    /** Records a failure; {@link #settle} throws the first. */
    void fail(StoreException e) {
        failure = failure == null ? e : failure;
    }
}
