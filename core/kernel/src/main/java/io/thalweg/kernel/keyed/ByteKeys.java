package io.thalweg.kernel.keyed;

import io.thalweg.kernel.table.WordTable;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The byte keys of one shard, each with a code of 64 bits that identifies it as long as any pane contains it.
 *
 * <p><b>Shape.</b> Two generations. A key that occurs is added to the newer one. The older generation is dropped as a whole once
 * all panes that were filled while it was the newer have been dropped.
 *
 * <p><b>Cost.</b> 16 bytes for the code and the address of the bytes (21 with free slots), plus 4 and the bytes themselves; in
 * both generations for a key that keeps occurring.
 *
 * <p><b>Threads.</b> As {@link WordTable}.
 */
/*
 * A code is the hash of the bytes. If two keys have the same hash, the later one gets the next free code and is stored
 * under its bytes permanently, so that it is found even after the other has been dropped.
 */
final class ByteKeys {
    private static final int CHUNK = 1 << 16;
    private static final int FIRST_CHUNK = 1 << 8;

    private record Bytes(byte[] bytes) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Bytes that && Arrays.equals(that.bytes, bytes);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bytes);
        }
    }

    /** Codes, and their bytes one after the other: a length of four bytes, then the key. */
    private static final class Generation {
        final WordTable codes;
        final List<byte[]> chunks;
        /** Bytes used in the last chunk. */
        int used;
        /** Whether the last chunk is not shared, so that it may be written to. */
        boolean mine;
        /** The newest pane that was filled while this was the newer generation. */
        long newestPane = Long.MIN_VALUE;

        Generation() {
            this(new WordTable(1, 1), new ArrayList<>());
        }

        private Generation(WordTable codes, List<byte[]> chunks) {
            this.codes = codes;
            this.chunks = chunks;
        }

        Generation copy() {
            Generation copy = new Generation(codes.copy(), new ArrayList<>(chunks));
            copy.used = used;
            copy.newestPane = newestPane;
            mine = false;
            return copy;
        }

        boolean holds(byte[] key) {
            long address = codes.words()[codes.at() + 1];
            byte[] chunk = chunks.get((int) (address >>> 32));
            int from = (int) address + 4;
            return length(chunk, from - 4) == key.length
                    && Arrays.equals(chunk, from, from + key.length, key, 0, key.length);
        }

        byte[] bytes() {
            long address = codes.words()[codes.at() + 1];
            byte[] chunk = chunks.get((int) (address >>> 32));
            int from = (int) address + 4;
            return Arrays.copyOfRange(chunk, from, from + length(chunk, from - 4));
        }

        private static int length(byte[] chunk, int at) {
            return (chunk[at] & 0xFF)
                    | (chunk[at + 1] & 0xFF) << 8
                    | (chunk[at + 2] & 0xFF) << 16
                    | chunk[at + 3] << 24;
        }

        void add(long code, byte[] key) {
            byte[] chunk = room(4 + key.length);
            codes.add(code);
            codes.words()[codes.at() + 1] = (long) (chunks.size() - 1) << 32 | used;
            for (int i = 0; i < 4; i++) {
                chunk[used + i] = (byte) (key.length >>> (8 * i));
            }
            System.arraycopy(key, 0, chunk, used + 4, key.length);
            used += 4 + key.length;
        }

        /** Returns the last chunk, with room after {@link #used}. */
        private byte[] room(int more) {
            int last = chunks.size() - 1;
            if (last < 0 || used + more > CHUNK) {
                chunks.add(new byte[Math.max(FIRST_CHUNK, more)]);
                used = 0;
                mine = true;
                return chunks.get(last + 1);
            }
            byte[] chunk = chunks.get(last);
            if (!mine || used + more > chunk.length) {
                int length = used + more > chunk.length ? Math.min(CHUNK, 2 * (used + more)) : chunk.length;
                chunk = Arrays.copyOf(chunk, length);
                chunks.set(last, chunk);
                mine = true;
            }
            return chunk;
        }

        long byteCount() {
            return codes.bytes()
                    + chunks.stream().mapToLong(chunk -> chunk.length).sum();
        }

        void write(DataOutput out) throws IOException {
            out.writeLong(newestPane);
            codes.write(out);
            out.writeInt(chunks.size());
            for (int i = 0; i < chunks.size(); i++) {
                int length = i == chunks.size() - 1 ? used : chunks.get(i).length;
                out.writeInt(length);
                out.write(chunks.get(i), 0, length);
            }
        }

        static Generation read(DataInput in) throws IOException {
            long newestPane = in.readLong();
            Generation generation = new Generation(WordTable.read(in, 1, 1), new ArrayList<>());
            generation.newestPane = newestPane;
            for (int left = in.readInt(); left > 0; left--) {
                byte[] chunk = new byte[in.readInt()];
                in.readFully(chunk);
                generation.chunks.add(chunk);
                generation.used = chunk.length;
            }
            generation.mine = true;
            return generation;
        }
    }

    private final ToLongFunction<byte[]> hash;
    private final Map<Bytes, Long> displaced = new HashMap<>();
    private final Set<Long> displacedCodes = new HashSet<>();
    private Generation newer = new Generation();
    private @Nullable Generation older;

    ByteKeys() {
        this(KeyWord::of);
    }

    ByteKeys(ToLongFunction<byte[]> hash) {
        this.hash = hash;
    }

    ByteKeys copy() {
        ByteKeys copy = new ByteKeys(hash);
        copy.displaced.putAll(displaced);
        copy.displacedCodes.addAll(displacedCodes);
        copy.newer = newer.copy();
        copy.older = older == null ? null : older.copy();
        return copy;
    }

    /** Returns the code of a key, and assigns one to a new key. */
    long code(byte[] key) {
        long code = hash.applyAsLong(key);
        if (newer.codes.find(code) && newer.holds(key)) {
            return code;
        }
        if (!displaced.isEmpty()) {
            Long other = displaced.get(new Bytes(key));
            if (other != null) {
                meet(other, key);
                return other;
            }
        }
        Generation before = older;
        boolean taken = newer.codes.find(code)
                || (before != null && before.codes.find(code) && !before.holds(key))
                || displacedCodes.contains(code);
        return taken ? displace(code, key) : meet(code, key);
    }

    private long meet(long code, byte[] key) {
        if (!newer.codes.find(code)) {
            newer.add(code, key);
        }
        return code;
    }

    private long displace(long from, byte[] key) {
        long code = from;
        while (isTaken(code)) {
            code++;
        }
        displaced.put(new Bytes(key.clone()), code);
        displacedCodes.add(code);
        return meet(code, key);
    }

    private boolean isTaken(long code) {
        return newer.codes.find(code) || (older != null && older.codes.find(code)) || displacedCodes.contains(code);
    }

    /** Returns the code of a key that some pane may contain; null if none does. */
    @Nullable
    Long codeIfKnown(byte[] key) {
        Long other = displaced.get(new Bytes(key));
        if (other != null) {
            return other;
        }
        long code = hash.applyAsLong(key);
        Generation before = older;
        boolean known = newer.codes.find(code)
                ? newer.holds(key)
                : before != null && before.codes.find(code) && before.holds(key);
        return known ? code : null;
    }

    /** Returns a copy of the key of a code that some pane contains. */
    byte[] key(long code) {
        if (newer.codes.find(code)) {
            return newer.bytes();
        }
        Generation before = older;
        if (before == null || !before.codes.find(code)) {
            throw new IllegalStateException("no key has the code " + Long.toHexString(code));
        }
        return before.bytes();
    }

    /** Records that a pane contains codes of the newer generation. */
    void filled(long pane) {
        newer.newestPane = Math.max(newer.newestPane, pane);
    }

    /** Records that panes below {@code pane} were dropped; begins a new generation once the older is no longer needed. */
    void dropBefore(long pane) {
        Generation before = older;
        if (newer.codes.isEmpty() || (before != null && before.newestPane >= pane)) {
            return;
        }
        older = newer;
        newer = new Generation();
    }

    long bytes() {
        return newer.byteCount() + (older == null ? 0 : older.byteCount());
    }

    void write(DataOutput out) throws IOException {
        out.writeInt(displaced.size());
        for (Map.Entry<Bytes, Long> entry : displaced.entrySet()) {
            out.writeInt(entry.getKey().bytes.length);
            out.write(entry.getKey().bytes);
            out.writeLong(entry.getValue());
        }
        newer.write(out);
        Generation before = older;
        out.writeBoolean(before != null);
        if (before != null) {
            before.write(out);
        }
    }

    void read(DataInput in) throws IOException {
        for (int left = in.readInt(); left > 0; left--) {
            byte[] key = new byte[in.readInt()];
            in.readFully(key);
            long code = in.readLong();
            displaced.put(new Bytes(key), code);
            displacedCodes.add(code);
        }
        newer = Generation.read(in);
        older = in.readBoolean() ? Generation.read(in) : null;
    }
}
