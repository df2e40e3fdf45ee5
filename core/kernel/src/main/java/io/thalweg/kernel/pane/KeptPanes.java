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
 * The closed panes of one shard that windows still need, sparse, per tile and group, and the progress of assembly. This is the
 * state of assembly.
 *
 * <p><b>Shape.</b> Lots (tile and group) are in the order of their first slice; a lot is removed when its last pane is dropped.
 * The cursor {@code (firing end, next lot)} lets assembly stop between two lots and continue later, also after a restore.
 *
 * <p><b>Threads.</b> One writer. Another thread may read an instance that was {@linkplain #copy copied} as long as no thread
 * writes to that instance any more.
 */
/*
 * Slices are immutable and shared by all copies. The list of a lot is shared too until one side writes: a lot carries the
 * token of the KeptPanes that may change it, and a holder with another token clones it, as segments are cloned.
 */
public final class KeptPanes {
    /** The counts of one pane at positions of the lot's tile. */
    public record Slice(long pane, PositionCounts counts) {}

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
    /** A lower bound of the panes of all slices. */
    private long oldestPane = Long.MAX_VALUE;

    /**
     * Creates an empty state.
     *
     * @param firedEnd the last window end whose features are done
     */
    public KeptPanes(long firedEnd) {
        this.firedEnd = firedEnd;
    }

    /** Returns a copy that shares all slices and entries. */
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
     * Adds a slice to those of its pane; throws IllegalStateException for a pane whose first window end is already done.
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

    /** Inserts a slice by pane. Panes close in order, but a neighbour's slice may arrive after another's slice of the next pane. */
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
    public void replaceCounts(BiFunction<TileGroup, PositionCounts, PositionCounts> replacement) {
        for (int number = 0; number < entries.size(); number++) {
            Entry lot = writable(number);
            lot.slices.replaceAll(slice -> new Slice(slice.pane(), replacement.apply(lot.tileGroup, slice.counts())));
        }
    }

    /** The last window end whose features are done for all entries. */
    public long firedEnd() {
        return firedEnd;
    }

    /**
     * The next window end that may have features, at most {@code limit}; {@code limit} if there is none. Ends without any kept
     * pane below them are skipped.
     */
    public long nextEnd(long limit) {
        if (nextEntry == 0 && (entries.isEmpty() || oldestPane >= limit)) {
            return limit;
        }
        long next = nextEntry > 0 ? firedEnd + 1 : Math.max(firedEnd, oldestPane) + 1;
        return Math.min(limit, next);
    }

    /** Begins or continues a window end; all before it are done. */
    public void begin(long end) {
        firedEnd = end - 1;
    }

    /** The number of lots. */
    public int entries() {
        return entries.size();
    }

    /** The lot at which assembly continues for the end after {@link #firedEnd()}. */
    public int nextEntry() {
        return nextEntry;
    }

    /** Records that a lot is done. */
    public void lotDone() {
        nextEntry++;
    }

    public TileGroup tileGroup(int lot) {
        return entries.get(lot).tileGroup;
    }

    /** The slices of a lot, one for each pane that has counts, ascending; must not be modified. */
    public Iterable<Slice> slices(int lot) {
        return entries.get(lot).slices;
    }

    /** Records that all entries of {@code end} are done; drops panes below {@code keepFrom} and the entries that become empty. */
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
                kept.keep(tileGroup, new Slice(in.readLong(), PositionCounts.read(in)));
            }
        }
        kept.nextEntry = nextEntry;
        return kept;
    }
}
