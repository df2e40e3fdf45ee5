package io.thalweg.kernel.pane;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

/**
 * The closed panes of one shard that windows still need, sparse, per tile and group, and how far features are assembled.
 * What assembly keeps as state.
 *
 * <p><b>Shape.</b> Lots (tile and group) are in the order of their first slice; a lot leaves when its last pane is
 * forgotten. The cursor {@code (firing end, next lot)} lets assembly stop between two entries and continue later, also after a
 * restore.
 *
 * <p><b>Threads.</b> One writer. What {@link #copy} was taken of may be read by another thread as long as no thread writes to
 * it any more.
 */
/*
 * Slices are immutable and shared by all copies. The list of a lot is shared too until one side writes: a lot carries the
 * token of the KeptPanes that may change it, and a holder that meets a foreign token clones it, as segments are cloned.
 */
public final class KeptPanes {
    /** Counts of one pane at places of the lot's tile. */
    public record Slice(long pane, PlaceCounts counts) {}

    private static final class Entry {
        final Object owner;
        final TileGroup tileGroup;
        /** One for each pane that has counts, ascending. */
        final List<Slice> slices;

        Entry(Object owner, TileGroup tileGroup, List<Slice> slices) {
            this.owner = owner;
            this.tileGroup = tileGroup;
            this.slices = slices;
        }
    }

    private Object token = new Object();
    private final List<Entry> entries = new ArrayList<>();
    private final Map<TileGroup, Integer> lotNumbers = new HashMap<>();
    private long firedEnd;
    private int nextEntry;
    /** No kept slice is of an older pane. */
    private long oldestPane = Long.MAX_VALUE;

    /**
     * Nothing kept yet.
     *
     * @param firedEnd features of this window end and all before it are done
     */
    public KeptPanes(long firedEnd) {
        this.firedEnd = firedEnd;
    }

    /** A copy that shares all slices and entries. */
    public KeptPanes copy() {
        KeptPanes copy = new KeptPanes(firedEnd);
        copy.nextEntry = nextEntry;
        copy.oldestPane = oldestPane;
        copy.entries.addAll(entries);
        copy.lotNumbers.putAll(lotNumbers);
        token = new Object();
        return copy;
    }

    /**
     * Keeps a slice, together with what is kept of that pane; throws IllegalStateException for a pane whose window ends have
     * left already.
     */
    public void add(TileGroup tileGroup, Slice slice) {
        if (slice.pane() < firedEnd) {
            throw new IllegalStateException("pane " + slice.pane() + " of " + tileGroup + " arrived after window end "
                    + firedEnd + " was assembled");
        }
        keep(tileGroup, slice);
    }

    private void keep(TileGroup tileGroup, Slice slice) {
        oldestPane = Math.min(oldestPane, slice.pane());
        int number = lotNumbers.computeIfAbsent(tileGroup, t -> entries.size());
        if (number == entries.size()) {
            entries.add(new Entry(token, tileGroup, new ArrayList<>()));
        }
        insert(writable(number).slices, slice);
    }

    /** Panes close in order, but what neighbouring tiles know of one may come behind what others know of the next. */
    private static void insert(List<Slice> slices, Slice slice) {
        int at = slices.size();
        while (at > 0 && slices.get(at - 1).pane() > slice.pane()) {
            at--;
        }
        if (at > 0 && slices.get(at - 1).pane() == slice.pane()) {
            slices.set(
                    at - 1, new Slice(slice.pane(), slices.get(at - 1).counts().plus(slice.counts())));
        } else {
            slices.add(at, slice);
        }
    }

    private Entry writable(int number) {
        Entry lot = entries.get(number);
        if (lot.owner != token) {
            lot = new Entry(token, lot.tileGroup, new ArrayList<>(lot.slices));
            entries.set(number, lot);
        }
        return lot;
    }

    /** Replaces the counts of all slices; the entries and the cursor stay. */
    public void replaceCounts(BiFunction<TileGroup, PlaceCounts, PlaceCounts> replacement) {
        for (int number = 0; number < entries.size(); number++) {
            Entry lot = writable(number);
            lot.slices.replaceAll(slice -> new Slice(slice.pane(), replacement.apply(lot.tileGroup, slice.counts())));
        }
    }

    /** The window end up to which features are done, all entries of it. */
    public long firedEnd() {
        return firedEnd;
    }

    /**
     * The next window end that may have something to say, not after {@code limit}; {@code limit} where none has. Ends
     * without any kept pane below them are jumped over.
     */
    public long nextEnd(long limit) {
        if (nextEntry == 0 && (entries.isEmpty() || oldestPane >= limit)) {
            return limit;
        }
        long next = nextEntry > 0 ? firedEnd + 1 : Math.max(firedEnd, oldestPane) + 1;
        return Math.min(limit, next);
    }

    /** Begins or continues a window end: all before it are done. */
    public void begin(long end) {
        firedEnd = end - 1;
    }

    /** Lots there are. */
    public int entries() {
        return entries.size();
    }

    /** The lot at which assembly continues for the end after {@link #firedEnd()}. */
    public int nextEntry() {
        return nextEntry;
    }

    /** Notes that a lot is done. */
    public void lotDone() {
        nextEntry++;
    }

    public TileGroup tileGroup(int lot) {
        return entries.get(lot).tileGroup;
    }

    /** The slices of a lot, one for each pane that has counts, ascending; not to be changed. */
    public Iterable<Slice> slices(int lot) {
        return entries.get(lot).slices;
    }

    /** All entries of {@code end} are done: forgets panes below {@code keepFrom} and the entries that are empty now. */
    public void endDone(long end, long keepFrom) {
        firedEnd = end;
        nextEntry = 0;
        boolean emptied = false;
        for (int number = 0; number < entries.size(); number++) {
            if (holdsBelow(entries.get(number), keepFrom)) {
                Entry lot = writable(number);
                lot.slices.removeIf(slice -> slice.pane() < keepFrom);
                emptied |= lot.slices.isEmpty();
            }
        }
        if (emptied) {
            dropEmptyLots();
        }
        oldestPane = entries.isEmpty() ? Long.MAX_VALUE : Math.max(oldestPane, keepFrom);
    }

    private static boolean holdsBelow(Entry lot, long keepFrom) {
        return !lot.slices.isEmpty() && lot.slices.get(0).pane() < keepFrom;
    }

    private void dropEmptyLots() {
        lotNumbers.clear();
        for (Iterator<Entry> each = entries.iterator(); each.hasNext(); ) {
            if (each.next().slices.isEmpty()) {
                each.remove();
            }
        }
        for (int number = 0; number < entries.size(); number++) {
            lotNumbers.put(entries.get(number).tileGroup, number);
        }
    }

    /** Writes all entries and the cursor. */
    public void write(DataOutput out) throws IOException {
        out.writeLong(firedEnd);
        out.writeInt(nextEntry);
        out.writeInt(entries.size());
        VarInts gathered = new VarInts();
        for (Entry lot : entries) {
            lot.tileGroup.write(out);
            out.writeInt(lot.slices.size());
            for (Slice slice : lot.slices) {
                out.writeLong(slice.pane());
                slice.counts().write(out, gathered);
            }
        }
    }

    /** Reads what {@link #write} wrote. */
    public static KeptPanes read(DataInput in) throws IOException {
        KeptPanes kept = new KeptPanes(in.readLong());
        int nextEntry = in.readInt();
        for (int entries = in.readInt(); entries > 0; entries--) {
            TileGroup tileGroup = TileGroup.read(in);
            for (int slices = in.readInt(); slices > 0; slices--) {
                kept.keep(tileGroup, new Slice(in.readLong(), PlaceCounts.read(in)));
            }
        }
        kept.nextEntry = nextEntry;
        return kept;
    }
}
