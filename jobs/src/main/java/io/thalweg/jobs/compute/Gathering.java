package io.thalweg.jobs.compute;

import io.thalweg.jobs.block.RoutedBlock;
import java.util.function.Consumer;

/** The entries of one shard that have not left yet, in columns that grow up to a block's. */
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

    /** Room of the columns. */
    final int capacity() {
        return capacity;
    }

    /** The place of the next entry in the columns. */
    final int next() {
        if (entries == capacity) {
            capacity = Math.max(FIRST_CAPACITY, 2 * capacity);
            grow(capacity);
        }
        return entries;
    }

    /** Counts the entry that was put at {@link #next}. */
    final void added() {
        if (++entries == BLOCK_ENTRIES) {
            send();
        }
    }

    /** Sends what there is. */
    final void send() {
        if (entries > 0) {
            output.accept(take(entries));
            entries = 0;
        }
    }

    /** Makes room for so many entries. */
    abstract void grow(int toCapacity);

    /** The first entries as a block, which is all that remains of them. */
    abstract B take(int count);
}
