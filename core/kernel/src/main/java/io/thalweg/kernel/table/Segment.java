package io.thalweg.kernel.table;

import java.util.Arrays;

/**
 * One segment of a {@link WordTable}: entries of {@code width} words each, ordered by their first word, in an array of slots.
 * A position is the index of an entry's first word in {@link #entries}.
 *
 * <p><b>Mechanism.</b> The 32 bits of a word below the {@code depth} bits that chose the segment, scaled to the number of
 * slots, give the slot where a search begins ({@link #home}). Entries are displaced upwards in order, so a search ends at the
 * first word that is not smaller. A free slot holds the greatest word, which ends every search. Entries whose own first word is
 * the greatest are counted in {@link #greatest} and precede the free slots at the end. Nothing wraps around: spare slots after
 * the last one hold the entries displaced beyond it.
 *
 * <p><b>Threads.</b> One writer, the table that owns it; shared segments are only read.
 */
final class Segment {
    static final long FREE = Long.MAX_VALUE;
    static final int SPARE_SLOTS = 8;

    /** The token of the table that may write to it. */
    final Object owner;
    /** The number of a word's top bits that select the segment. */
    final int depth;

    final int slots;
    private final int width;
    long[] entries;
    int used;
    /** The number of entries whose first word equals that of a free slot. */
    int greatest;

    private Segment(Object owner, int depth, int slots, int width, long[] entries) {
        this.owner = owner;
        this.depth = depth;
        this.slots = slots;
        this.width = width;
        this.entries = entries;
    }

    static Segment empty(Object owner, int depth, int slots, int width) {
        long[] entries = new long[(slots + SPARE_SLOTS) * width];
        Segment segment = new Segment(owner, depth, slots, width, entries);
        segment.free(0);
        return segment;
    }

    Segment copyFor(Object newOwner) {
        Segment copy = new Segment(newOwner, depth, slots, width, entries.clone());
        copy.used = used;
        copy.greatest = greatest;
        return copy;
    }

    private void free(int from) {
        for (int position = from; position < entries.length; position += width) {
            entries[position] = FREE;
        }
    }

    /** Returns the position where a search for a word begins. */
    int home(long word) {
        long bits = ((word ^ Long.MIN_VALUE) << depth) >>> 32;
        return (int) ((bits * slots) >>> 32) * width;
    }

    /**
     * Returns the first position whose word is not smaller. The displacement of an entry cannot be predicted, so the first four slots
     * are compared without a branch: they are in order, so the number of smaller ones is the number to skip.
     */
    int position(long[] from, long word) {
        int position = home(word);
        int smaller = smaller(from[position], word)
                + smaller(from[position + width], word)
                + smaller(from[position + 2 * width], word)
                + smaller(from[position + 3 * width], word);
        position += smaller * width;
        while (from[position] < word) {
            position += width;
        }
        return position;
    }

    /** Returns 1 if {@code a < b}, otherwise 0. */
    private static int smaller(long a, long b) {
        long difference = a - b;
        return (int) ((difference ^ ((a ^ b) & (difference ^ a))) >>> 63);
    }

    /** Moves the entries between a position and the next free slot up, and inserts an entry with this first word and zeros. */
    void insert(int position, long word) {
        int end = position;
        while (!isFree(end)) {
            end += width;
        }
        if (end + width >= entries.length) {
            extend(); // the last slot stays free: it ends every search
        }
        System.arraycopy(entries, position, entries, position + width, end - position);
        entries[position] = word;
        Arrays.fill(entries, position + 1, position + width, 0);
        count(word);
    }

    /**
     * Copies an entry that follows all others from another array, without search or displacement.
     *
     * @param after the first position after the last entry
     * @return its position
     */
    int append(long[] from, int at, int after) {
        long word = from[at];
        int position = Math.max(home(word), after);
        if (position + width >= entries.length) {
            extend();
        }
        entries[position] = word;
        for (int i = 1; i < width; i++) {
            entries[position + i] = from[at + i];
        }
        count(word);
        return position;
    }

    private void count(long word) {
        used++;
        greatest += word == FREE ? 1 : 0;
    }

    /** Removes an entry and moves the displaced entries after it down by one slot. */
    void delete(int position) {
        int end = position + width;
        while (!isFree(end) && home(entries[end]) < end) {
            end += width;
        }
        used--;
        greatest -= entries[position] == FREE ? 1 : 0;
        System.arraycopy(entries, position + width, entries, position, end - position - width);
        entries[end - width] = FREE;
    }

    /** Adds spare slots. Evenly spread words rarely need them. */
    private void extend() {
        int length = entries.length;
        entries = Arrays.copyOf(entries, length + (SPARE_SLOTS + used / 4) * width);
        free(length);
    }

    boolean isFree(int position) {
        return entries[position] == FREE && (greatest == 0 || !isGreatest(position));
    }

    /** Whether a position with the greatest word is an entry. Such entries are contiguous, after all other entries. */
    boolean isGreatest(int position) {
        if (greatest == 0) {
            return false;
        }
        int from = home(FREE);
        while (entries[from] != FREE) {
            from += width;
        }
        return position >= from && position < from + greatest * width;
    }

    /**
     * Copies the entries without the free slots. Every slot is copied, and overwritten by the next if it was free: a branch
     * could not be predicted.
     *
     * @return the number of words written
     */
    int pack(long[] into) {
        int length = 0;
        for (int position = 0; position < entries.length; position += width) {
            for (int i = 0; i < width; i++) {
                into[length + i] = entries[position + i];
            }
            length += isFree(position) ? 0 : width;
        }
        return length;
    }

    /** The estimated number of bytes. */
    long bytes() {
        return 8L * entries.length + 64;
    }
}
