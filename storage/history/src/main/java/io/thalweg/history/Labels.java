package io.thalweg.history;

import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.row.RowCells;
import io.thalweg.model.row.Shard;
import io.thalweg.model.view.FeatureView;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The keys and times of labels, for one view. Each distinct key has a number.
 *
 * <p><b>Shape.</b> Label {@code i} asks key {@code keyOf(i)} at {@code timesMs[i]}.
 *
 * <p><b>Threads.</b> Built by one, then safe to share.
 */
final class Labels {
    /** At most this many, because a label's number shares a long with its time. */
    static final int MOST = 1 << 20;

    private final FeatureView view;
    private final @Nullable HexTiling tiling;
    private final @Nullable KeyCodec codec;
    private final long[] timesMs;
    private final int[] keyOf;
    private int[] shardOfKey = new int[16];
    private int labels;
    private int keys;
    /** Numbers of keys by their canonical bytes; for views with rings, cells by group. */
    private final Map<ByteBuffer, Integer> ofBytes = new HashMap<>();

    private final Map<List<Object>, Cells> groups = new HashMap<>();
    /** Numbers of keys by their hashes, if keys are hashed. */
    private final Map<String, Integer> ofHash = new HashMap<>();

    private final @Nullable KeyHash hash;

    /** The cells of a group that are asked. */
    private static final class Cells {
        private final Map<Long, Integer> keys = new HashMap<>();
        private long[] sorted = {};
        private int[] numbers = {};

        void sort() {
            sorted = keys.keySet().stream().mapToLong(Long::longValue).sorted().toArray();
            numbers = Arrays.stream(sorted).mapToInt(keys::get).toArray();
        }
    }

    /**
     * @param most number of labels at most
     */
    Labels(FeatureView view, int most) {
        this(view, most, null);
    }

    /**
     * @param most number of labels at most
     * @param hash null unless all labels are added by {@link #addHashed}
     */
    Labels(FeatureView view, int most, @Nullable KeyHash hash) {
        this.view = view;
        this.hash = hash;
        tiling = view.isKeyed() ? null : HexTiling.of(view.cell().resolution());
        codec = view.isKeyed() ? new KeyCodec(view) : null;
        timesMs = new long[most];
        keyOf = new int[most];
    }

    /**
     * Adds a label.
     *
     * @param cell H3 index; ignored for keyed views
     * @param group values of the other entities in the view's order
     */
    void add(long timeMs, long cell, List<Object> group) {
        timesMs[labels] = timeMs;
        keyOf[labels++] = codec == null ? keyOfCell(cell, group) : keyOfValues(codec, group);
    }

    /** Adds a label of which only the hash of the key is known, and its shard. */
    void addHashed(long timeMs, String hashOfKey, int shard) {
        timesMs[labels] = timeMs;
        Integer known = ofHash.get(hashOfKey);
        if (known == null) {
            known = newKey(shard);
            ofHash.put(hashOfKey, known);
        }
        keyOf[labels++] = known;
    }

    private int keyOfCell(long cell, List<Object> group) {
        Cells cells = groups.get(group);
        if (cells == null) {
            cells = new Cells();
            groups.put(new ArrayList<>(group), cells);
        }
        Integer known = cells.keys.get(cell);
        if (known == null) {
            known = newKey(Shard.of(java.util.Objects.requireNonNull(tiling).tile(cell)));
            cells.keys.put(cell, known);
        }
        return known;
    }

    private int keyOfValues(KeyCodec codec, List<Object> values) {
        ByteBuffer bytes = ByteBuffer.wrap(codec.bytes(values));
        Integer known = ofBytes.get(bytes);
        if (known == null) {
            known = newKey(codec.shard(values));
            ofBytes.put(bytes, known);
        }
        return known;
    }

    private int newKey(int shard) {
        if (keys == shardOfKey.length) {
            shardOfKey = Arrays.copyOf(shardOfKey, 2 * keys);
        }
        shardOfKey[keys] = shard;
        return keys++;
    }

    FeatureView view() {
        return view;
    }

    int size() {
        return labels;
    }

    int keys() {
        return keys;
    }

    long timeMs(int label) {
        return timesMs[label];
    }

    int keyOf(int label) {
        return keyOf[label];
    }

    int shard(int label) {
        return shardOfKey[keyOf[label]];
    }

    long firstMs() {
        return Arrays.stream(timesMs, 0, labels).min().orElse(0);
    }

    /** Returns the numbers of the labels by key, and by time for each key. */
    int[] ordered() {
        long first = firstMs();
        long[] byTime = new long[labels];
        for (int label = 0; label < labels; label++) {
            byTime[label] = (timesMs[label] - first) << 20 | label;
        }
        Arrays.parallelSort(byTime);
        int[] from = firsts();
        int[] ordered = new int[labels];
        for (long each : byTime) {
            int label = (int) (each & (MOST - 1));
            ordered[from[keyOf[label]]++] = label;
        }
        return ordered;
    }

    /** Returns where the labels of each key begin in {@link #ordered}, and the number of all. */
    int[] firsts() {
        int[] from = new int[keys + 1];
        for (int label = 0; label < labels; label++) {
            from[keyOf[label] + 1]++;
        }
        for (int key = 0; key < keys; key++) {
            from[key + 1] += from[key];
        }
        return from;
    }

    /** Prepares {@link #match}; no label is added from then on. */
    void seal() {
        groups.values().forEach(Cells::sort);
    }

    /** Receives the rows of a block whose key is asked. */
    interface Matches {
        void match(int row, int key);
    }

    /** Finds the rows of a block whose keys are asked. */
    void match(RowBlock block, Matches into) {
        KeyHash hashes = hash;
        if (hashes != null) {
            RowCells cells = RowCells.of(view);
            for (int row = 0; row < block.rows(); row++) {
                Integer key = ofHash.get(hashes.of(cells.key(block, row)));
                if (key != null) {
                    into.match(row, key);
                }
            }
        } else if (block instanceof HexRowBlock hex) {
            Cells cells = groups.get(hex.group());
            if (cells != null) {
                merge(cells, hex.cells(), into);
            }
        } else {
            KeyedRowBlock keyed = (KeyedRowBlock) block;
            KeyCodec keyCodec = java.util.Objects.requireNonNull(codec);
            for (int row = 0; row < keyed.rows(); row++) {
                Integer key = ofBytes.get(ByteBuffer.wrap(keyed.keyBytes(keyCodec, row)));
                if (key != null) {
                    into.match(row, key);
                }
            }
        }
    }

    private static void merge(Cells cells, long[] rows, Matches into) {
        if (rows.length == 0) {
            return;
        }
        int at = Arrays.binarySearch(cells.sorted, rows[0]);
        at = at < 0 ? -at - 1 : at;
        int row = 0;
        while (row < rows.length && at < cells.sorted.length) {
            if (rows[row] < cells.sorted[at]) {
                row++;
            } else if (rows[row] > cells.sorted[at]) {
                at++;
            } else {
                into.match(row++, cells.numbers[at++]);
            }
        }
    }
}
