package io.thalweg.live;

import io.thalweg.api.v1.LiveKey;
import io.thalweg.api.v1.LiveRow;
import java.util.ArrayList;
import java.util.List;

/**
 * Answers keys from the state of a task. The stream pauses while that task's thread reads, so work that can be done elsewhere,
 * before and after, is.
 */
@FunctionalInterface
public interface LiveReads {
    /**
     * Prepares a reading of keys whose shards are this task's; on any thread.
     *
     * @throws IllegalArgumentException if a key is none of the view's
     */
    Reading prepare(List<LiveKey> keys);

    /** Some keys on their way. */
    interface Reading {
        /** Looks the keys up; once, on the task's own thread. */
        void read() throws Exception;

        /** The answers, in the order of the keys; once, after {@link #read}, on any thread. */
        List<LiveRow> rows();
    }

    /** Answers one key. */
    @FunctionalInterface
    interface OneKey {
        /** The value of a key, on the task's own thread. */
        LiveRow read(LiveKey key) throws Exception;
    }

    /** Where there is next to nothing to do but to look a key up. */
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
