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
 * Reads the rows as anybody would, and notes per window end how many came, of how many bytes, and when. Blocks of some tiles
 * are kept for the recount.
 *
 * <p><b>Threads.</b> Reads in a thread of its own; safe to ask from any.
 */
final class RowTopic implements AutoCloseable {
    /** Older window ends are not recounted. */
    static final int KEPT_ENDS = 12;

    /** What came for one window end. Changed by the reading thread only. */
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
     * Stops dropping the rows of old window ends. Without events, the watermark follows the clock, which is far ahead of the event time
     * if the warm-up took long, so many more windows end.
     */
    void hold() {
        holds = true;
    }

    @SuppressWarnings({"NonAtomicVolatileUpdate", "NonAtomicOperationOnVolatileField"}) // one thread changes it
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
     * Whether a {@code read_committed} reader has all shards' progress of a window end.
     *
     * @throws IllegalStateException if the topic could not be read on
     */
    boolean isAcknowledged(long windowEndMs) {
        records.requireReading();
        End end = ends.get(windowEndMs);
        return end != null && end.acknowledgedMs != Long.MIN_VALUE;
    }

    /** When it had it, epoch ms. */
    long acknowledgedMs(long windowEndMs) {
        return at(windowEndMs).acknowledgedMs;
    }

    /** When the last block of a window end was encoded, epoch ms. */
    long assembledMs(long windowEndMs) {
        return at(windowEndMs).assembledMs;
    }

    /** How many rows of a window end came. */
    long rows(long windowEndMs) {
        return at(windowEndMs).rows;
    }

    /** Of its packed blocks, without compression. */
    long bytes(long windowEndMs) {
        return at(windowEndMs).bytes;
    }

    /** Its blocks of the tiles kept; to be looked at when all are acknowledged. */
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
