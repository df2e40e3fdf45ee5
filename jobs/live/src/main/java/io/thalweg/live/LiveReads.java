package io.thalweg.live;

import io.thalweg.api.v1.LiveKey;
import io.thalweg.api.v1.LiveRow;
import java.util.ArrayList;
import java.util.List;

/**
 * Answers keys from the state of a task. The stream pauses while the task's thread reads, so work that other threads
 * can do is done before and after.
 */
@FunctionalInterface
public interface LiveReads {
    /**
     * Prepares a read of keys whose shards belong to this task; on any thread.
     *
     * @throws IllegalArgumentException if a key does not belong to the view
     */
    Reading prepare(List<LiveKey> keys);

    /** A read of some keys. */
    interface Reading {
        /** Looks the keys up; once, on the task's own thread. */
        void read() throws Exception;

        /** Returns the answers, in the order of the keys; called once, after {@link #read}, on any thread. */
        List<LiveRow> rows();
    }

    /** Answers one key. */
    @FunctionalInterface
    interface OneKey {
        /** Returns the value of a key; called on the task's own thread. */
        LiveRow read(LiveKey key) throws Exception;
    }

    /** Returns reads for tasks where looking up a key is nearly all the work. */
    static LiveReads oneByOne(OneKey each) {
        return keys -> new Reading() {
            private final List<LiveRow> rows = new ArrayList<>(keys.size());

            @Override
            public void read() throws Exception {
                for (LiveKey key : keys) {
                    rows.add(each.read(key));
                }
            }

            @Override
            public List<LiveRow> rows() {
                return rows;
            }
        };
    }
}
