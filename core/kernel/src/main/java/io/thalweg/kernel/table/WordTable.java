package io.thalweg.kernel.table;

import static io.thalweg.kernel.table.Segment.FREE;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An ordered hash table of fixed-width entries of {@code long}s, divided into segments that copies share.
 *
 * <p><b>Shape.</b> An entry is {@code keyWords} words of key and {@code valueWords} of value. The first word of a key must be
 * spread evenly over all 64 bits (see {@link Mix}). All tables keep entries in its signed order, so {@link Cursor}s over the same
 * range of words visit the same keys in each. Keys have up to four words; words beyond {@code keyWords} are 0.
 *
 * <p><b>Position.</b> {@link #find} and {@link #add} position the table at an entry: {@link #words()}[{@link #at()}] is the first
 * word of its key. The position is valid until the next call. An entry reached by {@code add} may be written to, one reached by
 * {@code find} may not.
 *
 * <p><b>Cost.</b> 18 to 24 bytes for an entry of two words at any size above a few thousand entries; twice that below.
 *
 * <p><b>Threads.</b> One writer. Another thread may read a table that was {@linkplain #copy copied} as long as it writes to
 * neither the table nor the copy.
 */
/*
 * Extendible hashing: the top `depth` bits of a word select a segment through the directory; Segment describes the search
 * within it.
 *
 * A segment that is 85 % full grows by a quarter, or, beyond 64 KiB, splits in two by one more bit. The load therefore stays above
 * 0.68, the table never rehashes as a whole, and a copy only copies the directory. A segment belongs to the table whose token it
 * carries; a table clones a foreign segment before it writes to it.
 */
public final class WordTable {
    /** Words in the largest segment: 64 KiB. */
    private static final int SEGMENT_WORDS = 8192;

    private static final int FIRST_SLOTS = 8;
    private static final int DEEPEST = 28;
    private static final int SKEW = 64;

    private final int keyWords;
    private final int width;
    private final int mostSlots;
    private final int smallSlots;
    private Object token = new Object();
    private Segment[] directory;
    private int depth;
    private long size;

    private long[] words = {};
    private int at;

    /**
     * Creates an empty table.
     *
     * @param keyWords 1 to 4
     * @param valueWords at least 0
     */
    public WordTable(int keyWords, int valueWords) {
        if (keyWords < 1 || keyWords > 4 || valueWords < 0) {
            throw new IllegalArgumentException("a table has 1 to 4 words of key and at least 0 of value, was %d and %d"
                    .formatted(keyWords, valueWords));
        }
        this.keyWords = keyWords;
        this.width = keyWords + valueWords;
        this.mostSlots = Math.max(FIRST_SLOTS, SEGMENT_WORDS / width - Segment.SPARE_SLOTS);
        this.smallSlots = mostSlots / 4;
        this.directory = new Segment[] {segment(0, FIRST_SLOTS)};
    }

    private WordTable(WordTable other) {
        keyWords = other.keyWords;
        width = other.width;
        mostSlots = other.mostSlots;
        smallSlots = other.smallSlots;
        directory = other.directory.clone();
        depth = other.depth;
        size = other.size;
        other.token = new Object();
    }

    /** Returns a copy that shares all segments; afterwards both tables clone a shared segment before they write to it. */
    public WordTable copy() {
        return new WordTable(this);
    }

    /**
     * Reserves room for this many entries. Otherwise keys that arrive in the order of their words would fill one segment after
     * another. Existing entries are moved.
     */
    public void reserve(long entries) {
        int most = mostSlots * 3 / 4;
        int bits = 0;
        while (bits < DEEPEST && entries >> bits > most) {
            bits++;
        }
        Segment[] before = directory;
        int depthBefore = depth;
        int slots = slotsFor(entries >> bits);
        int segmentDepth = bits;
        depth = bits;
        size = 0;
        directory = new Segment[1 << bits];
        Arrays.setAll(directory, i -> segment(segmentDepth, slots));
        for (int i = 0; i < before.length; i += 1 << (depthBefore - before[i].depth)) {
            moveAll(before[i]);
        }
    }

    /** The number of entries. */
    public long size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    /** The number of bytes of the segments and the directory, including shared ones. */
    public long bytes() {
        return 4L * directory.length
                + segments().stream().mapToLong(Segment::bytes).sum();
    }

    /** The number of words of a key. */
    int keyWords() {
        return keyWords;
    }

    /** The number of words of an entry. */
    int width() {
        return width;
    }

    /** The array that contains the current entry. */
    public long[] words() {
        return words;
    }

    /** The index in {@link #words()} of the first key word of the current entry; its values follow after {@code keyWords} words. */
    public int at() {
        return at;
    }

    /** Finds a key of one word. */
    public boolean find(long word) {
        return find(word, 0, 0, 0);
    }

    /** Finds a key, for reading. */
    public boolean find(long word, long second, long third, long fourth) {
        return seek(directory[index(word)], word, second, third, fourth);
    }

    /** Finds a key of one word, or adds it with values of 0; returns whether it is new. */
    public boolean add(long word) {
        return add(word, 0, 0, 0);
    }

    /**
     * Adds to the first value of a key of one word. A new key starts with values of 0. The position is undefined afterwards.
     */
    public void increment(long word, long by) {
        Segment segment = directory[index(word)];
        if (segment.owner == token && word != FREE) {
            long[] entries = segment.entries;
            int position = segment.position(entries, word);
            if (entries[position] == word) {
                entries[position + 1] += by;
                return;
            }
        }
        add(word, 0, 0, 0);
        words[at + 1] += by;
    }

    /** Finds a key, or adds it with values of 0; returns whether it is new. */
    public boolean add(long word, long second, long third, long fourth) {
        Segment segment = writable(index(word));
        if (seek(segment, word, second, third, fourth)) {
            return false;
        }
        while (isFull(segment)) {
            enlarge(segment, word);
            segment = directory[index(word)];
            seek(segment, word, second, third, fourth);
        }
        segment.insert(at, word);
        words = segment.entries;
        if (keyWords > 1) {
            words[at + 1] = second;
        }
        if (keyWords > 2) {
            words[at + 2] = third;
        }
        if (keyWords > 3) {
            words[at + 3] = fourth;
        }
        size++;
        return true;
    }

    /** Removes an entry; the position is undefined afterwards. */
    public boolean remove(long word, long second, long third, long fourth) {
        Segment segment = writable(index(word));
        boolean found = seek(segment, word, second, third, fourth);
        if (found) {
            segment.delete(at);
            size--;
        }
        return found;
    }

    /**
     * Reads the slot where a search for a word begins, so that it is in the cache for the search.
     *
     * @return a word of the slot, to be used so that the compiler does not drop the read
     */
    public long touch(long word) {
        Segment segment = directory[index(word)];
        return segment.entries[segment.home(word)];
    }

    /** {@linkplain #touch Touches} the slots of the words {@code [from, to)}. */
    public long touchAll(long[] ofWords, int from, int to) {
        long sum = 0;
        for (int i = from; i < to; i++) {
            sum += touch(ofWords[i]);
        }
        return sum;
    }

    /** Moves to the key, or to the position for it; returns whether it was found. */
    private boolean seek(Segment segment, long word, long second, long third, long fourth) {
        long[] entries = segment.entries;
        int position = segment.position(entries, word);
        words = entries;
        if (keyWords == 1 && word != FREE) {
            at = position;
            return entries[position] == word;
        }
        int left = word == FREE ? segment.greatest : Integer.MAX_VALUE;
        while (entries[position] == word && left-- > 0) {
            if (isRest(entries, position, second, third, fourth)) {
                at = position;
                return true;
            }
            position += width;
        }
        at = position;
        return false;
    }

    private boolean isRest(long[] entries, int position, long second, long third, long fourth) {
        return (keyWords < 2 || entries[position + 1] == second)
                && (keyWords < 3 || entries[position + 2] == third)
                && (keyWords < 4 || entries[position + 3] == fourth);
    }

    /** Small segments count as full earlier, because spare room costs little and saves displacements. */
    private boolean isFull(Segment segment) {
        long percent = segment.slots < smallSlots ? 50 : 85;
        return (segment.used + 1) * 100L > segment.slots * percent;
    }

    private int index(long word) {
        return depth == 0 ? 0 : (int) ((word ^ Long.MIN_VALUE) >>> (64 - depth));
    }

    private int span(Segment segment) {
        return 1 << (depth - segment.depth);
    }

    private Segment writable(int index) {
        Segment segment = directory[index];
        if (segment.owner == token) {
            return segment;
        }
        Segment mine = segment.copyFor(token);
        put(index, mine);
        return mine;
    }

    private void put(int index, Segment segment) {
        int span = span(segment);
        int from = index & -span;
        Arrays.fill(directory, from, from + span, segment);
    }

    private Segment segment(int atDepth, int slots) {
        return Segment.empty(token, atDepth, slots, width);
    }

    /** The number of slots for this many entries, with room for a few more. */
    private int slotsFor(long entries) {
        long slots = entries * 4 / 3 < smallSlots ? entries * 5 / 2 : entries * 4 / 3;
        return (int) Math.min(mostSlots, Math.max(FIRST_SLOTS, slots));
    }

    private void enlarge(Segment segment, long word) {
        int wanted = segment.slots < smallSlots ? segment.slots * 2 : segment.slots + segment.slots / 4;
        // Skips a last step that is too small to be worth the copying.
        int slots = wanted <= mostSlots || segment.slots >= mostSlots * 15 / 16 ? wanted : mostSlots;
        if (slots <= mostSlots || !maySplit(segment)) {
            rebuild(index(word), segment, slots);
        } else {
            split(index(word), segment);
        }
    }

    /** Bounds the directory: unevenly spread words cost speed, but never a disproportionate directory. */
    private boolean maySplit(Segment segment) {
        return segment.depth < DEEPEST && (1L << segment.depth) <= SKEW * (1 + size / mostSlots);
    }

    private void split(int index, Segment segment) {
        int from = index;
        if (segment.depth == depth) {
            deepen();
            from *= 2;
        }
        int span = span(segment);
        from &= -span;
        // Room for half of them at the load of a segment that has just grown.
        int slots = slotsFor(segment.used / 2);
        Segment low = segment(segment.depth + 1, slots);
        Segment high = segment(segment.depth + 1, slots);
        Arrays.fill(directory, from, from + span / 2, low);
        Arrays.fill(directory, from + span / 2, from + span, high);
        size -= segment.used;
        moveAll(segment);
    }

    private void rebuild(int index, Segment segment, int slots) {
        put(index, segment(segment.depth, slots));
        size -= segment.used;
        moveAll(segment);
    }

    private void moveAll(Segment segment) {
        Appender appender = new Appender();
        for (int position = 0, left = segment.used; left > 0; position += width) {
            if (!segment.isFree(position)) {
                appender.append(segment.entries, position);
                left--;
            }
        }
    }

    private void deepen() {
        Segment[] wider = new Segment[directory.length * 2];
        for (int i = 0; i < wider.length; i++) {
            wider[i] = directory[i >> 1];
        }
        directory = wider;
        depth++;
    }

    /** Adds entries in ascending order, each after all others of the table. */
    final class Appender {
        private @Nullable Segment segment;
        private int free;

        /** Adds the entry at a position of an array of entries of the same shape. */
        void append(long[] from, int position) {
            long word = from[position];
            Segment target = writable(index(word));
            if (target != segment) {
                segment = target;
                free = 0;
            }
            if (isFull(target)) {
                addFrom(from, position);
                segment = directory[index(word)];
                free = at + width;
            } else {
                free = target.append(from, position, free) + width;
                size++;
            }
        }

        private void addFrom(long[] from, int position) {
            add(
                    from[position],
                    keyWords < 2 ? 0 : from[position + 1],
                    keyWords < 3 ? 0 : from[position + 2],
                    keyWords < 4 ? 0 : from[position + 3]);
            System.arraycopy(from, position + keyWords, words, at + keyWords, width - keyWords);
        }
    }

    /**
     * Returns a cursor over one of {@code 2^bits} ranges of words, in order. While a cursor is in use, the table may only be
     * changed through it.
     */
    public Cursor range(int range, int bits) {
        return new Cursor(range, bits);
    }

    /** Returns a cursor over all entries, in order. */
    public Cursor all() {
        return new Cursor(0, 0);
    }

    /** Iterates over entries in the order of their first words; starts before the first. */
    public final class Cursor {
        private final long last;
        private int index;
        private Segment segment;
        private int position;

        private Cursor(int range, int bits) {
            long first = bits == 0 ? Long.MIN_VALUE : (long) range << (64 - bits) ^ Long.MIN_VALUE;
            last = bits == 0 ? Long.MAX_VALUE : first + (-1L >>> bits);
            index = WordTable.this.index(first);
            segment = directory[index];
            position = segment.home(first) - width;
            while (hasEntry(position + width) && segment.entries[position + width] < first) {
                position += width;
            }
        }

        /** Moves to the next entry; returns false at the end. */
        public boolean next() {
            position += width;
            while (true) {
                long[] entries = segment.entries;
                for (; position < entries.length; position += width) {
                    long word = entries[position];
                    if (word != FREE) {
                        return word <= last;
                    }
                    if (segment.isGreatest(position)) {
                        return last == FREE;
                    }
                }
                index += span(segment) - (index & (span(segment) - 1));
                if (index >= directory.length) {
                    position -= width;
                    return false;
                }
                segment = directory[index];
                position = 0;
            }
        }

        private boolean hasEntry(int candidate) {
            return candidate >= 0 && candidate < segment.entries.length && segment.entries[candidate] != FREE;
        }

        /** The array that contains the entry, for reading. */
        public long[] words() {
            return segment.entries;
        }

        /** The index of its first word. */
        public int at() {
            return position;
        }

        /** The array that contains the entry, for writing its values. */
        public long[] writableWords() {
            segment = writable(index);
            return segment.entries;
        }

        /** Removes the entry; {@link #next} moves to the one after it. */
        public void remove() {
            segment = writable(index);
            segment.delete(position);
            size--;
            position -= width;
        }
    }

    /** Shrinks the segments of a range that removals have left less than half full. */
    public void trim(int range, int bits) {
        int from = bits >= depth ? range >>> (bits - depth) : range << (depth - bits);
        int to = bits >= depth ? from + 1 : from + (1 << (depth - bits));
        for (int i = from; i < to; ) {
            Segment segment = directory[i];
            int next = (i | (span(segment) - 1)) + 1;
            if (segment.slots > 4 * FIRST_SLOTS && 2 * slotsFor(segment.used) < segment.slots) {
                rebuild(i, segment, slotsFor(segment.used));
            }
            i = next;
        }
    }

    /** The segments, in order. */
    List<Segment> segments() {
        List<Segment> segments = new ArrayList<>();
        for (int i = 0; i < directory.length; i += span(directory[i])) {
            segments.add(directory[i]);
        }
        return segments;
    }

    /** Writes the entries in order; the format is {@link TableFormat}'s. */
    public void write(DataOutput out) throws IOException {
        TableFormat.write(this, out);
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @throws IOException also if the entries have other widths
     */
    public static WordTable read(DataInput in, int keyWords, int valueWords) throws IOException {
        return TableFormat.read(in, keyWords, valueWords);
    }
}
