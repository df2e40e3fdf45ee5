package io.thalweg.jobs.compute;

import io.thalweg.jobs.block.RoutedBlock;
import java.util.function.Consumer;

/** The events of one shard that have not left yet, in columns that grow up to a block's. */
abstract class Gathering {
    private static final int FIRST_CAPACITY = 16;
    private static final int BLOCK_EVENTS = 1024;

    final int shard;
    private final Consumer<RoutedBlock> output;
    private int events;
    private int capacity;

    Gathering(int shard, Consumer<RoutedBlock> output) {
        this.shard = shard;
        this.output = output;
    }

    final int events() {
        return events;
    }

    /** The place of the next event in the columns. */
    final int next() {
        if (events == capacity) {
            capacity = Math.max(FIRST_CAPACITY, 2 * capacity);
            grow(capacity);
        }
        return events;
    }

    /** Counts the event that was put at {@link #next}. */
    final void added() {
        if (++events == BLOCK_EVENTS) {
            send();
        }
    }

    /** Sends what there is. */
    final void send() {
        if (events > 0) {
            output.accept(take(events));
            events = 0;
        }
    }

    /** Makes room for so many events. */
    abstract void grow(int toCapacity);

    /** The first events as a block, which is all that remains of them. */
    abstract RoutedBlock take(int count);
}
