package io.thalweg.live;

import io.thalweg.api.v1.LiveKey;
import io.thalweg.api.v1.LiveRow;

/** Answers one key from the state of a task, on that task's own thread. */
@FunctionalInterface
public interface LiveReads {
    /** The value of a key whose shard is this task's. */
    LiveRow read(LiveKey key) throws Exception;
}
