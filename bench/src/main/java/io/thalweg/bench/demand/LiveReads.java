package io.thalweg.bench.demand;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Timestamp;
import io.thalweg.api.v1.FeatureRow;
import io.thalweg.api.v1.FeatureValue;
import io.thalweg.api.v1.ReadFeaturesResponse;
import io.thalweg.api.v1.Status;
import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Orders;
import io.thalweg.bench.harness.Progress;
import io.thalweg.bench.load.GrpcReaders;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.view.FeatureView;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Reads from the server of a running view while it computes, by a {@link LiveReader}, and the comparison of their answers.
 *
 * <p><b>Threads.</b> One.
 */
final class LiveReads implements AutoCloseable {
    private static final Duration START = Duration.ofMinutes(3);
    /** How long to wait for the last answers. */
    private static final Duration LAST_ANSWERS = Duration.ofSeconds(60);

    private final LiveReader.Order order;
    private final ReadKeys keys;
    private final @Nullable Child reader;
    private final Path file;
    private final List<Answer> kept = new ArrayList<>();
    /** The answers of {@link #readBack}, by view. */
    private final Map<String, List<Answer>> back = new LinkedHashMap<>();

    private final CompletableFuture<String> ready = new CompletableFuture<>();
    private long rowsCompared;

    /** A read: when it was due, epoch ms, and how long from then to its answer. */
    record Read(long dueMs, long nanos, boolean failed) {}

    /** An answer of the server to one of the requests. */
    record Answer(int request, byte[] bytes) {}

    /**
     * Prepares the reads.
     *
     * @param order with 0 reads a second, only {@link #readBack} reads
     * @param cities of the order
     */
    LiveReads(LiveReader.Order order, Cities cities, Path folder, Progress progress) throws IOException {
        this.order = order;
        file = Path.of(order.file());
        reader = order.perSecond() == 0
                ? null
                : Child.java(
                        "live-reads", folder, LiveReader.OPTIONS, LiveReader.class, Orders.arguments(order), line -> {
                            if (line.equals(LiveReader.READY)) {
                                ready.complete(line);
                            } else {
                                progress.say(line);
                            }
                        });
        keys = new ReadKeys(cities, order.compared(), order.events().seed()); // the process draws the same keys
    }

    /** Waits until reads can start. */
    void awaitReady() throws InterruptedException {
        if (reader != null) {
            String unused = reader.await("sign that it is ready", ready, START);
        }
    }

    /** Starts to read until a time, epoch ms. */
    void start(long untilMs) throws IOException {
        if (reader != null) {
            reader.tell(String.valueOf(untilMs));
        }
    }

    /**
     * Waits for the last answers, and reports the latencies of the reads that were due in a time span, epoch ms.
     *
     * @param bursts from when the watermark passed a window end until its rows were readable, epoch ms
     */
    void report(long fromMs, long toMs, NavigableMap<Long, Long> bursts, Figures figures)
            throws IOException, InterruptedException {
        if (reader == null) {
            return;
        }
        if (reader.awaitExit(LAST_ANSWERS) != 0) {
            throw new IllegalStateException("the process that reads failed: " + reader.said());
        }
        Histogram all = new Histogram(4);
        Histogram inBursts = new Histogram(4);
        long[] failed = {0, 0};
        forEach(read -> {
            if (read.dueMs < fromMs) {
                failed[0] += read.failed ? 1 : 0;
            } else if (read.dueMs < toMs) {
                failed[1] += read.failed ? 1 : 0;
                all.recordValue(read.nanos);
                Map.Entry<Long, Long> burst = bursts.floorEntry(read.dueMs);
                if (burst != null && read.dueMs <= burst.getValue()) {
                    inBursts.recordValue(read.nanos);
                }
            }
        });
        figures.put("reads", all.getTotalCount() - failed[1])
                .put("reads_failed", failed[1])
                .put("reads_failed_before", failed[0])
                .latencies("read", all)
                .put("burst_reads", inBursts.getTotalCount())
                .latencies("burst_read", inBursts);
    }

    /** Passes all reads to a consumer and adds the kept answers to those that are compared. */
    private void forEach(Consumer<Read> taker) throws IOException {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            while (in.readBoolean()) {
                taker.accept(new Read(in.readLong(), in.readLong(), in.readBoolean()));
            }
            for (int left = in.readInt(); left > 0; left--) {
                int request = in.readInt();
                kept.add(new Answer(request, in.readNBytes(in.readInt())));
            }
        }
    }

    /** Reads the recounted cities from each view once more, and keeps all answers. */
    void readBack(List<FeatureView> views) {
        for (FeatureView view : views) {
            List<Answer> answers = new ArrayList<>();
            try (GrpcReaders server = keys.readers(order.port(), view.qualifiedName())) {
                for (int request = 0; request < ReadKeys.COMPARED_REQUESTS; request++) {
                    answers.add(new Answer(request, server.read(request).join()));
                }
            }
            back.put(view.qualifiedName(), answers);
        }
    }

    /**
     * Compares the rows of one window end in the answers that were kept during the run with their recount.
     *
     * @param sums of the compared cities
     * @return the first difference; empty if there is none
     */
    String difference(FeatureView view, long windowEndMs, Map<Recount.Key, long[]> sums)
            throws InvalidProtocolBufferException {
        return difference(kept, view, windowEndMs, sums);
    }

    /** Compares the answers of {@link #readBack} in the same way. */
    String differenceBack(FeatureView view, long windowEndMs, Map<Recount.Key, long[]> sums)
            throws InvalidProtocolBufferException {
        return difference(Objects.requireNonNull(back.get(view.qualifiedName())), view, windowEndMs, sums);
    }

    private String difference(List<Answer> answers, FeatureView view, long windowEndMs, Map<Recount.Key, long[]> sums)
            throws InvalidProtocolBufferException {
        for (Answer answer : answers) {
            String difference = difference(view, windowEndMs, keys.of(answer.request()), answer.bytes(), sums);
            if (!difference.isEmpty()) {
                return difference;
            }
        }
        return "";
    }

    private String difference(
            FeatureView view, long windowEndMs, List<Recount.Key> keys, byte[] answer, Map<Recount.Key, long[]> sums)
            throws InvalidProtocolBufferException {
        ReadFeaturesResponse response = ReadFeaturesResponse.parseFrom(answer);
        boolean isOfEnd = ms(response.getWatermark()) == windowEndMs;
        for (int i = 0; i < keys.size(); i++) {
            FeatureRow row = response.getRows(i);
            boolean isRow = row.hasWindowEnd() && ms(row.getWindowEnd()) == windowEndMs;
            // A row of the next window end may be readable before its watermark; a cell without a row has no window end
            // at the watermark.
            if (isRow || (isOfEnd && !row.hasWindowEnd())) {
                String difference = difference(view, keys.get(i), row, sums.get(keys.get(i)));
                if (!difference.isEmpty()) {
                    return difference;
                }
                rowsCompared++;
            }
        }
        return "";
    }

    /** The number of rows of kept answers that were compared. */
    long rowsCompared() {
        return rowsCompared;
    }

    private static long ms(Timestamp time) {
        return time.getSeconds() * 1_000 + time.getNanos() / 1_000_000;
    }

    private static String difference(FeatureView view, Recount.Key key, FeatureRow row, long @Nullable [] sums) {
        if (row.getStatus() != Status.PRESENT && row.getStatus() != Status.ZERO) {
            return "a read of %s has the status %s".formatted(key, row.getStatus());
        }
        int[] panes = view.windows().panes();
        double[] wanted = new double[view.featureNames().size()];
        for (int feature = 0; sums != null && feature < wanted.length; feature++) {
            int size = (int) Cities.diskSize(view.rings().get(feature / panes.length));
            wanted[feature] = HexRowBlock.value(sums[feature], size, panes[feature % panes.length]);
        }
        double[] read = row.getValuesList().stream()
                .mapToDouble(FeatureValue::getDoubleValue)
                .toArray();
        return Arrays.equals(read, wanted)
                ? ""
                : "a read of %s has %s, the recount %s".formatted(key, Arrays.toString(read), Arrays.toString(wanted));
    }

    @Override
    public void close() {
        if (reader != null) {
            reader.close();
        }
    }
}
