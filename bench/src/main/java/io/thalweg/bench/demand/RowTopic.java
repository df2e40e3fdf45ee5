package io.thalweg.bench.demand;

import io.thalweg.bench.harness.TopicTail;
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

    /** The rows of one window end. Only the reading thread changes it. */
    private static final class End {
        private volatile long rows;
        private volatile long bytes;
        private volatile long assembledMs = Long.MIN_VALUE;
        private volatile long acknowledgedMs = Long.MIN_VALUE;
        private final Set<Integer> shards = new HashSet<>();
        private final List<byte[]> kept = new ArrayList<>();
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

    /** When it had the progress of all shards, epoch ms. */
    long acknowledgedMs(long windowEndMs) {
        return at(windowEndMs).acknowledgedMs;
    }

    /** When the last block of a window end was encoded, epoch ms. */
    long assembledMs(long windowEndMs) {
        return at(windowEndMs).assembledMs;
    }

    /** The number of rows of a window end. */
    long rows(long windowEndMs) {
        return at(windowEndMs).rows;
    }

    /** The size of its packed blocks, without compression. */
    long bytes(long windowEndMs) {
        return at(windowEndMs).bytes;
    }

    /** Its blocks of the kept tiles; valid once all shards are acknowledged. */
    List<byte[]> kept(long windowEndMs) {
        return at(windowEndMs).kept;
    }

    private End at(long windowEndMs) {
        records.requireReading();
        return Objects.requireNonNull(ends.get(windowEndMs));
    }

    @Override
    public void close() {
        records.close();
    }
}
