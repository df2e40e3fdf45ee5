package io.thalweg.bench.demand;

import io.thalweg.bench.demand.RowTopic.PackedHead;
import io.thalweg.bench.harness.TopicReader;
import io.thalweg.bench.rivals.Hexagons.RivalRow;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.HexRowCodec;
import io.thalweg.model.row.Progress;
import io.thalweg.model.row.ProgressJson;
import io.thalweg.model.row.RingDivisors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Reads a system's rows up to a window end and adds up a hash of each row's key and values, a sum that does not depend on the
 * order of the rows. Values are rounded to nine decimal places. Also keeps Thalweg's blocks of some tiles for a recount.
 *
 * <p><b>Threads.</b> One.
 */
final class ContestRows implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(100);

    private final TopicReader records;
    private final RingDivisors divisors;
    private final HexRowCodec packed;
    private final long lastEndMs;
    private final Set<Integer> shardsDone = new HashSet<>();
    private final Set<Long> keptTiles;
    private final List<byte[]> kept = new ArrayList<>();
    private long rows;
    private long rowsOfLastEnd;
    private long digest;
    private boolean allShards;

    ContestRows(TestBed testBed, String topic, long lastEndMs, Set<Long> keptTiles) {
        this.keptTiles = Set.copyOf(keptTiles);
        this.divisors = new RingDivisors(testBed.view());
        this.packed = new HexRowCodec(testBed.view());
        this.lastEndMs = lastEndMs;
        records = TopicReader.ofBlocks(testBed.bootstrap(), topic);
    }

    /** Reads the available rows, and returns whether there were any. */
    boolean look() {
        boolean found = false;
        for (ConsumerRecord<byte[], byte[]> record : records.next(POLL)) {
            take(record.value());
            found = true;
        }
        return found;
    }

    /** Reads until nothing has arrived for this duration. */
    void lookUntilQuiet(Duration quiet) {
        long quietNanos = System.nanoTime() + quiet.toNanos();
        while (System.nanoTime() - quietNanos < 0) {
            if (look()) {
                quietNanos = System.nanoTime() + quiet.toNanos();
            }
        }
    }

    private void take(byte[] value) {
        if (value[0] == PackedHead.MAGIC) {
            HexRowBlock block = packed.decodeBlock(value);
            if (block.windowEndMs() == lastEndMs && keptTiles.contains(block.tile())) {
                kept.add(value);
            }
            take(block);
        } else if (value[0] == '{') {
            Progress progress = ProgressJson.parse(value);
            if (progress != null && progress.windowEndMs() >= lastEndMs) {
                shardsDone.add(progress.shard());
                allShards = shardsDone.size() == progress.shards();
            }
        } else {
            RivalRow row = RivalRow.parse(value);
            add(row.windowEndMs(), row.cell(), row.product(), row.features());
        }
    }

    private void take(HexRowBlock block) {
        int features = divisors.features();
        long[] all = block.sums();
        String product = String.valueOf(block.group().get(0));
        for (int row = 0; row < block.rows(); row++) {
            long[] sums = Arrays.copyOfRange(all, row * features, (row + 1) * features);
            add(block.windowEndMs(), block.cells()[row], product, divisors.values(sums, null));
        }
    }

    private void add(long windowEndMs, long cell, String product, double[] values) {
        if (windowEndMs > lastEndMs) {
            return;
        }
        long hash = Mix.of(Mix.of(windowEndMs, cell), product.hashCode());
        for (double value : values) {
            hash = Mix.of(hash, (long) Math.rint(value * 1e9));
        }
        digest += hash;
        rows++;
        rowsOfLastEnd += windowEndMs == lastEndMs ? 1 : 0;
    }

    /** The number of rows up to the window end. */
    long rows() {
        return rows;
    }

    long rowsOfLastEnd() {
        return rowsOfLastEnd;
    }

    /** Thalweg's blocks of the kept tiles at the window end. */
    List<byte[]> kept() {
        return kept;
    }

    /** A digest that is equal for equal rows. */
    long digest() {
        return digest;
    }

    /** Whether Thalweg has reported that all rows are written. */
    boolean isComplete() {
        return allShards;
    }

    @Override
    public void close() {
        records.close();
    }
}
