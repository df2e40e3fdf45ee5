package io.thalweg.kernel.table;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An ordered hash table of fixed-width entries of {@code long}s, cut into segments that a copy shares.
 *
 * <p><b>Shape.</b> An entry is {@code keyWords} words of key and {@code valueWords} of value. The first word of a key must be
 * spread evenly over all 64 bits (see {@link Mix}); entries stand in its signed order, as do those of every other table, so that
 * {@link Cursor}s over one range of words meet the same keys. Up to four words of key; those a table does not have are 0.
 *
 * <p><b>Position.</b> {@link #find} and {@link #add} leave the table at an entry: {@link #words()}[{@link #at()}] is the first
 * word of its key. It is valid until the next call. What {@code add} found may be written to, what {@code find} found may not.
 *
 * <p><b>Cost.</b> 18 to 24 bytes for an entry of two words, at any size above some thousand; below, twice that.
 *
 * <p><b>Threads.</b> One writer. What {@link #copy} was taken of may be read by another thread as long as nobody writes to it any
 * more.
 */
/*
 * Extendible hashing: the top `depth` bits of a word choose a segment through the directory. Within a segment the next 32 bits,
 * scaled to its slots, say where probing begins, and entries are displaced upwards in order: an entry is looked for until a
 * word that is not smaller. A free slot holds the greatest word, which ends every search; entries whose own first word is the
 * greatest are counted (`greatest`): they stand before the free slots at the end. Nothing wraps around: behind the slots some
 * spare ones take what is displaced beyond the last.
 *
 * A segment that is 85 % full grows by a quarter, or, beyond 64 KiB, splits in two by one more bit: so load stays above 0.68,
 * the table never makes a great rehash, and a copy costs the directory. A segment belongs to the table whose token it carries;
 * whoever meets a foreign one clones it before writing.
 */
public final class WordTable {
    /** Words in the largest segment: 64 KiB. */
    private static final int SEGMENT_WORDS = 8192;

    private static final int FIRST_SLOTS = 8;
    private static final int SPARE_SLOTS = 8;
    private static final int DEEPEST = 28;
    private static final int SKEW = 64;
    private static final long FREE = Long.MAX_VALUE;
    private static final int IO_BYTES = 1 << 16;

    private static final class Segment {
        final Object owner;
        final int depth;
        long[] entries;
        int slots;
        int used;
        /** Entries whose first word is that of a free slot. */
        int greatest;

        Segment(Object owner, int depth, long[] entries, int slots) {
            this.owner = owner;
            this.depth = depth;
            this.entries = entries;
            this.slots = slots;
        }
    }

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
     * An empty table.
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
        this.mostSlots = Math.max(FIRST_SLOTS, SEGMENT_WORDS / width - SPARE_SLOTS);
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

    /** A copy that shares all segments; both sides clone what they write to from now on. */
    public WordTable copy() {
        return new WordTable(this);
    }

    /**
     * Makes room for so many entries at once: for keys that are going to come in the order of their words, which would fill
     * one segment after another otherwise. Moves those that are there.
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

    /** Number of entries. */
    public long size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    /** Bytes of the segments and the directory, shared ones included. */
    public long bytes() {
        long bytes = 4L * directory.length;
        for (int i = 0; i < directory.length; i += span(directory[i])) {
            bytes += 8L * directory[i].entries.length + 64;
        }
        return bytes;
    }

    /** Where the entry found last stands. */
    public long[] words() {
        return words;
    }

    /** The place of its first word of key in {@link #words()}; its values begin {@code keyWords} further. */
    public int at() {
        return at;
    }

    /** Finds a key of one word. */
    public boolean find(long word) {
        return find(word, 0, 0, 0);
    }

    /** Finds a key, to be read. */
    public boolean find(long word, long second, long third, long fourth) {
        Segment segment = directory[index(word)];
        return seek(segment, word, second, third, fourth);
    }

    /** Finds a key of one word, or adds it with values of 0; whether it is new. */
    public boolean add(long word) {
        return add(word, 0, 0, 0);
    }

    /** Adds to the first value of a key of one word, which is added with values of 0 if it is new. Leaves no position. */
    public void increment(long word, long by) {
        Segment segment = directory[index(word)];
        if (segment.owner == token && word != FREE) {
            long[] entries = segment.entries;
            int place = place(segment, entries, word);
            if (entries[place] == word) {
                entries[place + 1] += by;
                return;
            }
        }
        add(word, 0, 0, 0);
        words[at + 1] += by;
    }

    /** Finds a key, or adds it with values of 0; whether it is new. */
    public boolean add(long word, long second, long third, long fourth) {
        Segment segment = writable(index(word));
        if (seek(segment, word, second, third, fourth)) {
            return false;
        }
        while (!insert(segment, at, word, second, third, fourth)) {
            enlarge(segment, word);
            segment = directory[index(word)];
            seek(segment, word, second, third, fourth);
        }
        return true;
    }

    /** Removes an entry; the position means nothing any more. */
    public boolean remove(long word, long second, long third, long fourth) {
        Segment segment = writable(index(word));
        boolean there = seek(segment, word, second, third, fourth);
        if (there) {
            delete(segment, at);
        }
        return there;
    }

    /**
     * Reads the slot where a search for a word begins, so that it is in the cache when the search comes.
     *
     * @return something of it, to be used, lest the compiler leave the reading out
     */
    public long touch(long word) {
        Segment segment = directory[index(word)];
        return segment.entries[home(segment, word)];
    }

    /** Goes to the key, or to where it belongs. */
    private boolean seek(Segment segment, long word, long second, long third, long fourth) {
        long[] entries = segment.entries;
        int place = place(segment, entries, word);
        words = entries;
        if (keyWords == 1 && word != FREE) {
            at = place;
            return entries[place] == word;
        }
        int left = word == FREE ? segment.greatest : Integer.MAX_VALUE;
        while (entries[place] == word && left-- > 0) {
            if (isRest(entries, place, second, third, fourth)) {
                at = place;
                return true;
            }
            place += width;
        }
        at = place;
        return false;
    }

    /**
     * The first place that is not before a word's. How far an entry is displaced cannot be predicted, so the first four slots
     * are compared without a branch: as they are in order, as many are smaller as have to be passed over.
     */
    private int place(Segment segment, long[] entries, long word) {
        int place = home(segment, word);
        int smaller = smaller(entries[place], word)
                + smaller(entries[place + width], word)
                + smaller(entries[place + 2 * width], word)
                + smaller(entries[place + 3 * width], word);
        place += smaller * width;
        while (entries[place] < word) {
            place += width;
        }
        return place;
    }

    /** 1 if {@code a < b}, else 0. */
    private static int smaller(long a, long b) {
        long difference = a - b;
        return (int) ((difference ^ ((a ^ b) & (difference ^ a))) >>> 63);
    }

    private boolean isRest(long[] entries, int place, long second, long third, long fourth) {
        return (keyWords < 2 || entries[place + 1] == second)
                && (keyWords < 3 || entries[place + 2] == third)
                && (keyWords < 4 || entries[place + 3] == fourth);
    }

    /** False where the segment is too full. */
    private boolean insert(Segment segment, int place, long word, long second, long third, long fourth) {
        if (isFull(segment)) {
            return false;
        }
        int end = place;
        while (!isFree(segment, end)) {
            end += width;
        }
        if (end + width >= segment.entries.length) {
            extend(segment); // the last slot stays free: it ends every search
        }
        long[] entries = segment.entries;
        words = entries;
        System.arraycopy(entries, place, entries, place + width, end - place);
        entries[place] = word;
        if (keyWords > 1) {
            entries[place + 1] = second;
        }
        if (keyWords > 2) {
            entries[place + 2] = third;
        }
        if (keyWords > 3) {
            entries[place + 3] = fourth;
        }
        Arrays.fill(entries, place + keyWords, place + width, 0);
        segment.used++;
        segment.greatest += word == FREE ? 1 : 0;
        size++;
        return true;
    }

    /** Small segments have room to spare: it costs little, and saves the displacing. */
    private boolean isFull(Segment segment) {
        long percent = segment.slots < smallSlots ? 50 : 85;
        return (segment.used + 1) * 100L > segment.slots * percent;
    }

    /** Adds spare slots; words that are spread evenly hardly ever need them. */
    private void extend(Segment segment) {
        int length = segment.entries.length;
        segment.entries = Arrays.copyOf(segment.entries, length + (SPARE_SLOTS + segment.used / 4) * width);
        for (int place = length; place < segment.entries.length; place += width) {
            segment.entries[place] = FREE;
        }
    }

    private boolean isFree(Segment segment, int place) {
        return segment.entries[place] == FREE && (segment.greatest == 0 || !isGreatest(segment, place));
    }

    /** The entries with the greatest word stand together, behind all others. */
    private boolean isGreatest(Segment segment, int place) {
        int from = home(segment, FREE);
        while (segment.entries[from] != FREE) {
            from += width;
        }
        return place >= from && place < from + segment.greatest * width;
    }

    /** Entries behind the gap move up to it, as far as each was displaced. */
    private void delete(Segment segment, int place) {
        long[] entries = segment.entries;
        int end = place + width;
        while (!isFree(segment, end) && home(segment, entries[end]) < end) {
            end += width;
        }
        segment.used--;
        segment.greatest -= entries[place] == FREE ? 1 : 0;
        size--;
        System.arraycopy(entries, place + width, entries, place, end - place - width);
        entries[end - width] = FREE;
    }

    private int index(long word) {
        return depth == 0 ? 0 : (int) ((word ^ Long.MIN_VALUE) >>> (64 - depth));
    }

    private int home(Segment segment, long word) {
        long bits = ((word ^ Long.MIN_VALUE) << segment.depth) >>> 32;
        return (int) ((bits * segment.slots) >>> 32) * width;
    }

    private int span(Segment segment) {
        return 1 << (depth - segment.depth);
    }

    private Segment writable(int index) {
        Segment segment = directory[index];
        if (segment.owner == token) {
            return segment;
        }
        Segment mine = new Segment(token, segment.depth, segment.entries.clone(), segment.slots);
        mine.used = segment.used;
        mine.greatest = segment.greatest;
        put(index, mine);
        return mine;
    }

    private void put(int index, Segment segment) {
        int span = span(segment);
        int from = index & -span;
        Arrays.fill(directory, from, from + span, segment);
    }

    private Segment segment(int atDepth, int slots) {
        long[] entries = new long[(slots + SPARE_SLOTS) * width];
        for (int place = 0; place < entries.length; place += width) {
            entries[place] = FREE;
        }
        return new Segment(token, atDepth, entries, slots);
    }

    /** Slots for so many entries, with room for a few more. */
    private int slotsFor(long entries) {
        long slots = entries * 4 / 3 < smallSlots ? entries * 5 / 2 : entries * 4 / 3;
        return (int) Math.min(mostSlots, Math.max(FIRST_SLOTS, slots));
    }

    private void enlarge(Segment segment, long word) {
        int wanted = segment.slots < smallSlots ? segment.slots * 2 : segment.slots + segment.slots / 4;
        int most = mostSlots;
        // A last step that is too small to be worth its copying is left out.
        int slots = wanted <= most || segment.slots >= most * 15 / 16 ? wanted : most;
        if (slots <= most || !maySplit(segment)) {
            rebuild(index(word), segment, slots);
        } else {
            split(index(word), segment);
        }
    }

    /** Words that are not spread as they should be cost speed, not a directory out of all proportion. */
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

    /** Where the next entry goes, for entries that come in order: no search, no displacing. */
    private final class Appender {
        private @Nullable Segment segment;
        private int free;

        /** Adds an entry that stands behind all others. */
        void append(long[] from, int place) {
            long word = from[place];
            Segment target = writable(index(word));
            if (target != segment) {
                segment = target;
                free = 0;
            }
            if (isFull(target)) {
                addFrom(from, place);
                segment = directory[index(word)];
                free = at + width;
                return;
            }
            int to = Math.max(home(target, word), free);
            if (to + width >= target.entries.length) {
                extend(target);
            }
            target.entries[to] = word;
            for (int i = 1; i < width; i++) {
                target.entries[to + i] = from[place + i];
            }
            free = to + width;
            target.used++;
            target.greatest += word == FREE ? 1 : 0;
            size++;
        }

        private void addFrom(long[] from, int place) {
            add(
                    from[place],
                    keyWords < 2 ? 0 : from[place + 1],
                    keyWords < 3 ? 0 : from[place + 2],
                    keyWords < 4 ? 0 : from[place + 3]);
            System.arraycopy(from, place + keyWords, words, at + keyWords, width - keyWords);
        }
    }

    private void moveAll(Segment segment) {
        Appender appender = new Appender();
        long[] entries = segment.entries;
        for (int place = 0, left = segment.used; left > 0; place += width) {
            if (!isFree(segment, place)) {
                appender.append(entries, place);
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

    /**
     * Goes through the entries of one of {@code 2^bits} ranges of words, in order. While one is used, the table must not be
     * changed but through it.
     */
    public Cursor range(int range, int bits) {
        return new Cursor(range, bits);
    }

    /** All entries in order. */
    public Cursor all() {
        return new Cursor(0, 0);
    }

    /** Walks over entries in the order of their first words; begins before the first. */
    public final class Cursor {
        private final long last;
        private int index;
        private Segment segment;
        private int place;

        private Cursor(int range, int bits) {
            long first = bits == 0 ? Long.MIN_VALUE : (long) range << (64 - bits) ^ Long.MIN_VALUE;
            last = bits == 0 ? Long.MAX_VALUE : first + (-1L >>> bits);
            index = WordTable.this.index(first);
            segment = directory[index];
            place = home(segment, first) - width;
            while (hasEntry(place + width) && segment.entries[place + width] < first) {
                place += width;
            }
        }

        /** Moves to the next entry; false at the end. */
        public boolean next() {
            place += width;
            while (true) {
                long[] entries = segment.entries;
                for (; place < entries.length; place += width) {
                    long word = entries[place];
                    if (word != FREE) {
                        return word <= last;
                    }
                    if (segment.greatest > 0 && isGreatest(segment, place)) {
                        return last == FREE;
                    }
                }
                index += span(segment) - (index & (span(segment) - 1));
                if (index >= directory.length) {
                    place -= width;
                    return false;
                }
                segment = directory[index];
                place = 0;
            }
        }

        private boolean hasEntry(int candidate) {
            return candidate >= 0 && candidate < segment.entries.length && segment.entries[candidate] != FREE;
        }

        /** Where the entry stands, for reading. */
        public long[] words() {
            return segment.entries;
        }

        /** The place of its first word. */
        public int at() {
            return place;
        }

        /** Where the entry stands, for writing to its values. */
        public long[] writableWords() {
            segment = writable(index);
            return segment.entries;
        }

        /** Removes the entry; the next one is that behind it. */
        public void remove() {
            segment = writable(index);
            delete(segment, place);
            place -= width;
        }
    }

    /** Gives back room that removals have left, where it is more than half of a range's. */
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

    /** Writes the entries in order, words little-endian, at the rate of memory rather than word by word. */
    public void write(DataOutput out) throws IOException {
        out.writeByte(keyWords);
        out.writeInt(width - keyWords);
        out.writeLong(size);
        int longest = 0;
        for (int i = 0; i < directory.length; i += span(directory[i])) {
            longest = Math.max(longest, directory[i].entries.length);
        }
        long[] packed = new long[longest];
        byte[] bytes = new byte[8 * longest];
        LongBuffer longs = longs(bytes);
        for (int i = 0; i < directory.length; i += span(directory[i])) {
            int length = pack(directory[i], packed);
            longs.clear();
            longs.put(packed, 0, length);
            out.write(bytes, 0, 8 * length);
        }
    }

    private static LongBuffer longs(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
    }

    /**
     * Copies the entries of a segment without its free slots. Every slot is copied, and overwritten if it was free: which of
     * them are cannot be predicted.
     */
    private int pack(Segment segment, long[] into) {
        long[] entries = segment.entries;
        boolean any = segment.greatest > 0;
        int length = 0;
        for (int place = 0; place < entries.length; place += width) {
            for (int i = 0; i < width; i++) {
                into[length + i] = entries[place + i];
            }
            boolean used = entries[place] != FREE || (any && isGreatest(segment, place));
            length += used ? width : 0;
        }
        return length;
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @throws IOException also if the entries have other widths
     */
    public static WordTable read(DataInput in, int keyWords, int valueWords) throws IOException {
        int keys = in.readByte();
        int values = in.readInt();
        if (keys != keyWords || values != valueWords) {
            throw new IOException("a table of %d words of key and %d of value was expected, was %d and %d"
                    .formatted(keyWords, valueWords, keys, values));
        }
        long size = in.readLong();
        if (size < 0) {
            throw new EOFException("a table's size must be at least 0, was " + size);
        }
        WordTable table = new WordTable(keyWords, valueWords);
        table.reserve(size);
        Appender appender = table.new Appender();
        int entryBytes = 8 * table.width;
        byte[] bytes = new byte[(int) Math.min(size, Math.max(1, IO_BYTES / entryBytes)) * entryBytes];
        long[] entries = new long[bytes.length / 8];
        for (long left = size; left > 0; ) {
            int count = (int) Math.min(left, bytes.length / entryBytes);
            in.readFully(bytes, 0, count * entryBytes);
            longs(bytes).get(entries, 0, count * table.width);
            for (int entry = 0; entry < count; entry++) {
                appender.append(entries, entry * table.width);
            }
            left -= count;
        }
        return table;
    }
}
