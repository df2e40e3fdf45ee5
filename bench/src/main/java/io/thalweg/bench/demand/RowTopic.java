package io.thalweg.bench.demand;

import io.thalweg.bench.harness.TopicTail;
import io.thalweg.model.bytes.BytesReader;
import io.thalweg.model.row.Progress;
import io.thalweg.model.row.ProgressJson;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Reads the rows like any consumer, and records per window end how many arrived, of how many bytes, and when. Blocks of some
 * tiles are kept for the recount.
 *
 * <p><b>Threads.</b> Reads on its own thread; any thread may query it.
 */
final class RowTopic implements AutoCloseable {
    /** The number of window ends that are kept for a recount. */
    static final int KEPT_ENDS = 12;

    /** The rows of one window end. Only the reading thread changes it; times are epoch ms. */
    static final class End {
        volatile long rows;
        /** The size of its packed blocks, without compression. */
        volatile long bytes;
        /** When the last block was encoded. */
        volatile long assembledMs = Long.MIN_VALUE;
        /** When the progress of all shards had arrived. */
        volatile long acknowledgedMs = Long.MIN_VALUE;
        /** The blocks of the kept tiles; valid once all shards are acknowledged. */
        final List<byte[]> kept = new ArrayList<>();

        private final Set<Integer> shards = new HashSet<>();
    }

    private final Set<Long> keptTiles;
    private final ConcurrentSkipListMap<Long, End> ends = new ConcurrentSkipListMap<>();
    private final TopicTail records;
    private volatile boolean holds;

    RowTopic(String bootstrap, String topic, Set<Long> keptTiles) {
        this.keptTiles = Set.copyOf(keptTiles);
        records = new TopicTail(bootstrap, topic, this::take);
    }

    private End end(long windowEndMs) {
        return ends.computeIfAbsent(windowEndMs, e -> {
            if (!holds) {
                ends.headMap(windowEndMs - KEPT_ENDS * Load.MINUTE_MS).values().forEach(old -> old.kept.clear());
            }
            return new End();
        });
    }

    /**
     * Stops dropping the rows of old window ends. Without events, the watermark follows the clock, which is far ahead of the
     * event time if the warm-up took long, so many more windows end.
     */
    void hold() {
        holds = true;
    }

    @SuppressWarnings({"NonAtomicVolatileUpdate", "NonAtomicOperationOnVolatileField"}) // only one thread changes it
    private void take(byte[] value) {
        if (value[0] == PackedHead.MAGIC) {
            PackedHead head = PackedHead.parse(value);
            End end = end(head.windowEndMs());
            end.rows += head.rows();
            end.bytes += value.length;
            end.assembledMs = Math.max(end.assembledMs, head.createdMs());
            if (keptTiles.contains(head.tile())) {
                end.kept.add(value);
            }
            return;
        }
        Progress progress = ProgressJson.parse(value);
        if (progress != null) {
            End end = end(progress.windowEndMs());
            if (end.shards.add(progress.shard()) && end.shards.size() == progress.shards()) {
                end.acknowledgedMs = System.currentTimeMillis();
            }
        }
    }

    /**
     * Whether a {@code read_committed} reader has the progress of all shards for a window end.
     *
     * @throws IllegalStateException if reading the topic failed
     */
    boolean isAcknowledged(long windowEndMs) {
        records.requireReading();
        End end = ends.get(windowEndMs);
        return end != null && end.acknowledgedMs != Long.MIN_VALUE;
    }

    /** Returns the rows of a window end of which rows have arrived. */
    End at(long windowEndMs) {
        records.requireReading();
        return Objects.requireNonNull(ends.get(windowEndMs));
    }

    @Override
    public void close() {
        records.close();
    }

    /**
     * The header of a packed block, read without its rows: {@code docs/reference/packed.md}.
     *
     * @param windowEndMs epoch ms
     * @param createdMs when the block was encoded, epoch ms: as soon as its last row was assembled
     */
    record PackedHead(long windowEndMs, long createdMs, long tile, int rows) {
        static final byte MAGIC = (byte) 0xB7;

        static PackedHead parse(byte[] block) {
            BytesReader in = new BytesReader(block, 2);
            long windowEndMs = in.u64();
            in.skip(1);
            long createdMs = in.u64();
            in.skip(Integer.BYTES);
            in.skip((int) in.varint());
            in.varint();
            long tile = in.u64();
            in.skip((int) in.varint());
            return new PackedHead(windowEndMs, createdMs, tile, (int) in.varint());
        }
    }
}
