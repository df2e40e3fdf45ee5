package io.thalweg.bench.demand;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Timestamp;
import io.thalweg.api.v1.FeatureRow;
import io.thalweg.api.v1.FeatureValue;
import io.thalweg.api.v1.ReadFeaturesRequest;
import io.thalweg.api.v1.ReadFeaturesResponse;
import io.thalweg.api.v1.Status;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Progress;
import io.thalweg.bench.load.GrpcReaders;
import io.thalweg.bench.load.OpenLoop;
import io.thalweg.bench.load.Readers;
import io.thalweg.model.FeatureView;
import io.thalweg.model.row.HexRowBlock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Reads of 100 keys by gRPC from the server of a running view, at a steady rate in an open loop. Most requests are for cells of any
 * city, drawn as riders are. Each tenth is for cells of the cities that are recounted; an answer a second of those is kept and compared.
 *
 * <p><b>Threads.</b> The reads have a thread of their own; the methods are for one other thread.
 */
final class LiveReads implements AutoCloseable {
    static final int KEYS = 100;

    private static final int REQUESTS = 2_000;
    private static final int COMPARED_REQUESTS = REQUESTS / 10;
    private static final long KEEP_NANOS = 1_000_000_000;
    private static final int KEPT = 700;

    private final GrpcReaders server;
    private final List<List<Recount.Key>> keys;
    private final double perSecond;
    private final Thread thread;
    private final Deque<Answer> kept = new ArrayDeque<>();
    private final List<long[]> reads = new ArrayList<>();
    private @Nullable OpenLoop loop;
    private long keptNanos;

    /** An answer of the server to one of the requests. */
    private record Answer(int request, byte[] bytes) {}

    private LiveReads(GrpcReaders server, List<List<Recount.Key>> keys, double perSecond, double seconds, long seed) {
        this.server = server;
        this.keys = keys;
        this.perSecond = perSecond;
        thread = new Thread(() -> read(seconds, seed), "live-reads");
        thread.setDaemon(true);
    }

    /**
     * Starts to read.
     *
     * @param compared the cities that are recounted
     * @param perSecond requests a second; 0 = only {@link #readBack} reads
     */
    static LiveReads start(
            int port,
            FeatureView view,
            Cities cities,
            Set<Integer> compared,
            double perSecond,
            double seconds,
            long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Cities.Zone> some = cities.zones().stream()
                .filter(zone -> compared.contains(zone.city()))
                .toList();
        List<List<Recount.Key>> keys = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            List<Recount.Key> each = new ArrayList<>();
            for (int k = 0; k < KEYS; k++) {
                Cities.Zone zone = i < COMPARED_REQUESTS
                        ? some.get(random.nextInt(some.size()))
                        : cities.zones().get(cities.zoneOf(random.nextInt()));
                each.add(new Recount.Key(
                        zone.cells()[Cities.placeOf(zone, random.nextDouble())], Cities.product(zone.product())));
            }
            keys.add(each);
        }
        LiveReads reads = new LiveReads(
                new GrpcReaders(
                        port, keys.stream().map(each -> request(view, each)).toList()),
                keys,
                perSecond,
                seconds,
                seed);
        if (perSecond > 0) {
            reads.thread.start();
        }
        return reads;
    }

    private static ReadFeaturesRequest request(FeatureView view, List<Recount.Key> keys) {
        return GrpcReaders.request(
                view,
                keys.stream()
                        .map(key -> Map.of("cell", Long.toHexString(key.cell()), "product", key.product()))
                        .toList());
    }

    private void read(double seconds, long seed) {
        long wallNanos = System.currentTimeMillis() * 1_000_000 - System.nanoTime();
        OpenLoop own = new OpenLoop(new Kept(), perSecond, seed, (dueNanos, nanos) -> {
            synchronized (reads) {
                reads.add(new long[] {(dueNanos + wallNanos) / 1_000_000, nanos});
            }
        });
        loop = own;
        own.run(seconds);
    }

    /** The server, some of whose answers are kept. */
    private final class Kept implements Readers {
        @Override
        public int requests() {
            return server.requests();
        }

        @Override
        public CompletableFuture<byte[]> read(int request) {
            return server.read(request).thenApply(bytes -> {
                if (request < COMPARED_REQUESTS) {
                    keep(new Answer(request, bytes));
                }
                return bytes;
            });
        }

        @Override
        public void close() {
            server.close();
        }
    }

    private void keep(Answer answer) {
        synchronized (kept) {
            long now = System.nanoTime();
            if (kept.isEmpty() || now - keptNanos >= KEEP_NANOS) {
                keptNanos = now;
                kept.addLast(answer);
                if (kept.size() > KEPT) {
                    kept.removeFirst();
                }
            }
        }
    }

    /**
     * Waits for the last answers, and reports the latencies of what was due in a time, epoch ms.
     *
     * @param progress takes why a read failed
     * @param bursts from when the watermark passed a window end until its rows were readable, epoch ms
     */
    void report(long fromMs, long toMs, NavigableMap<Long, Long> bursts, Figures figures, Progress progress)
            throws InterruptedException {
        if (perSecond == 0) {
            return;
        }
        thread.join();
        Histogram all = new Histogram(4);
        Histogram inBursts = new Histogram(4);
        synchronized (reads) {
            for (long[] read : reads) {
                if (read[0] < fromMs || read[0] >= toMs) {
                    continue;
                }
                all.recordValue(read[1]);
                Map.Entry<Long, Long> burst = bursts.floorEntry(read[0]);
                if (burst != null && read[0] <= burst.getValue()) {
                    inBursts.recordValue(read[1]);
                }
            }
        }
        OpenLoop ended = Objects.requireNonNull(loop);
        ended.firstFailure()
                .ifPresent(why -> progress.say("%d reads failed, the first with %s".formatted(ended.failures(), why)));
        figures.put("reads", all.getTotalCount())
                .put("reads_failed", ended.failures())
                .latencies("read", all)
                .put("burst_reads", inBursts.getTotalCount())
                .latencies("burst_read", inBursts);
    }

    /** Reads the cities that are recounted once more, and keeps all answers. */
    void readBack() {
        for (int request = 0; request < COMPARED_REQUESTS; request++) {
            byte[] bytes = server.read(request).join();
            synchronized (kept) {
                kept.addLast(new Answer(request, bytes));
            }
        }
    }

    /** What was compared. */
    static final class Compared {
        private long rows;
        private String difference = "";

        /** Rows that were equal. */
        long rows() {
            return rows;
        }

        /** The first difference; empty if there is none. */
        String difference() {
            return difference;
        }
    }

    /** Compares the rows of kept answers that are of one window end with its recount; {@code sums} are those of the cities compared. */
    void compare(FeatureView view, long windowEndMs, Map<Recount.Key, long[]> sums, Compared compared)
            throws InvalidProtocolBufferException {
        for (Answer answer : kept) {
            compare(view, windowEndMs, keys.get(answer.request()), answer.bytes(), sums, compared);
        }
    }

    private static void compare(
            FeatureView view,
            long windowEndMs,
            List<Recount.Key> keys,
            byte[] answer,
            Map<Recount.Key, long[]> sums,
            Compared compared)
            throws InvalidProtocolBufferException {
        ReadFeaturesResponse response = ReadFeaturesResponse.parseFrom(answer);
        boolean isOfEnd = ms(response.getWatermark()) == windowEndMs;
        for (int i = 0; i < keys.size() && compared.difference.isEmpty(); i++) {
            FeatureRow row = response.getRows(i);
            boolean isRow = row.hasWindowEnd() && ms(row.getWindowEnd()) == windowEndMs;
            // A row of the next window end may be readable before the watermark is; a cell without a row is silent at
            // the watermark.
            if (isRow || (isOfEnd && !row.hasWindowEnd())) {
                compared.difference = difference(view, keys.get(i), row, sums.get(keys.get(i)));
                compared.rows++;
            }
        }
    }

    private static long ms(Timestamp time) {
        return time.getSeconds() * 1_000 + time.getNanos() / 1_000_000;
    }

    private static String difference(FeatureView view, Recount.Key key, FeatureRow row, long @Nullable [] sums) {
        if (row.getStatus() != Status.PRESENT && row.getStatus() != Status.ZERO) {
            return "a read of %s has the status %s".formatted(key, row.getStatus());
        }
        int[] panes = view.windows().panes();
        for (int feature = 0; feature < row.getValuesCount(); feature++) {
            int ring = view.rings().get(feature / panes.length);
            double wanted = sums == null
                    ? 0
                    : HexRowBlock.value(sums[feature], (int) Cities.diskSize(ring), panes[feature % panes.length]);
            FeatureValue value = row.getValues(feature);
            if (value.getDoubleValue() != wanted) {
                return "a read of %s has %s = %s, the recount %s"
                        .formatted(key, view.featureNames().get(feature), value.getDoubleValue(), wanted);
            }
        }
        return row.getValuesCount() == view.featureNames().size()
                ? ""
                : "a read of %s has %d values".formatted(key, row.getValuesCount());
    }

    @Override
    public void close() {
        server.close();
    }
}
