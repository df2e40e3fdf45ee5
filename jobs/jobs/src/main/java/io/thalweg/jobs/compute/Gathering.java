package io.thalweg.jobs.compute;

import io.thalweg.jobs.block.RoutedBlock;
import java.util.function.Consumer;

/** The buffered entries of one shard, in columns that grow up to the size of a block. */
abstract class Gathering<B extends RoutedBlock> {
    private static final int FIRST_CAPACITY = 16;
    private static final int BLOCK_ENTRIES = 1024;

    final int shard;
    private final Consumer<? super B> output;
    private int entries;
    private int capacity;

    Gathering(int shard, Consumer<? super B> output) {
        this.shard = shard;
        this.output = output;
    }

    final int entries() {
        return entries;
    }

    /** The capacity of the columns. */
    final int capacity() {
        return capacity;
    }

    /** Returns the index of the next entry in the columns. */
    final int next() {
        if (entries == capacity) {
            capacity = Math.max(FIRST_CAPACITY, 2 * capacity);
            grow(capacity);
        }
        return entries;
    }

    /** Counts the entry written at {@link #next}, and sends the block if it is full. */
    final void added() {
        if (++entries == BLOCK_ENTRIES) {
            send();
        }
    }

    /** Sends the buffered entries, if there are any. */
    final void send() {
        if (entries > 0) {
            output.accept(take(entries));
            entries = 0;
        }
    }

    /** Grows the columns to this capacity. */
    abstract void grow(int toCapacity);

    /** Moves the first entries into a block. */
    abstract B take(int count);
}
