package io.thalweg.store.redis;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Groups rows, each with a key, into calls of one script: a call contains rows of one slot, in order of arrival. The script
 * receives the keys, and as arguments first what all rows share, then those of each row.
 *
 * <p><b>Threads.</b> One.
 */
final class SlotCalls {
    private final RedisLink link;
    private final Calls calls;
    private final Script script;
    private final int most;
    private final List<byte[]> begin;
    /** By slot, not yet full. */
    private final Map<Integer, Call> filling = new HashMap<>();

    private record Call(List<byte[]> keys, List<byte[]> arguments) {}

    /**
     * Creates calls of a script, without rows.
     *
     * @param most rows in one call, during which the server does nothing else
     * @param begin the arguments before those of rows
     */
    SlotCalls(RedisLink link, Calls calls, Script script, int most, List<byte[]> begin) {
        this.link = link;
        this.calls = calls;
        this.script = script;
        this.most = most;
        this.begin = begin;
    }

    /** Adds a row; its slot's call is sent once it is full. */
    void add(byte[] key, List<byte[]> arguments) {
        int slot = link.slot(key);
        Call call = filling.computeIfAbsent(slot, unused -> new Call(new ArrayList<>(), new ArrayList<>(begin)));
        call.keys.add(key);
        call.arguments.addAll(arguments);
        if (call.keys.size() == most) {
            filling.remove(slot);
            send(call);
        }
    }

    /** Sends the remaining rows; nothing after a failure. */
    void send() {
        if (!calls.failed()) {
            filling.values().forEach(this::send);
        }
        filling.clear();
    }

    private void send(Call call) {
        calls.send(script, call.keys.toArray(byte[][]::new), call.arguments.toArray(byte[][]::new));
    }
}
