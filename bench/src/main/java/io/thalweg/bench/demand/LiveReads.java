package io.thalweg.bench.demand;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Timestamp;
import io.thalweg.api.v1.FeatureRow;
import io.thalweg.api.v1.FeatureValue;
import io.thalweg.api.v1.ReadFeaturesResponse;
import io.thalweg.api.v1.Status;
import io.thalweg.bench.demand.LiveReader.ReadKeys;
import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Messages;
import io.thalweg.bench.harness.Progress;
import io.thalweg.bench.load.GrpcReaders;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.view.FeatureView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
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
    private final List<Answer> kept = new ArrayList<>();
    /** The answers of {@link #readBack}, by view. */
    private final Map<String, List<Answer>> back = new LinkedHashMap<>();

    private long rowsCompared;

    /** An answer of the server to one of the requests. */
    private record Answer(int request, byte[] bytes) {}

    /**
     * Prepares the reads.
     *
     * @param order with 0 reads a second, only {@link #readBack} reads
     * @param cities of the order
     */
    LiveReads(LiveReader.Order order, Cities cities, Path folder, Progress progress) throws IOException {
        this.order = order;
        reader = order.perSecond() == 0
                ? null
                : Child.java(
                        "live-reads",
                        folder,
                        LiveReader.PROGRAM,
                        line -> Messages.read(line, progress::say, score -> {}),
                        order);
        keys = new ReadKeys(cities, order.compared(), order.events().seed()); // the process draws the same keys
    }

    /** Waits until reads can start. */
    void awaitReady() throws InterruptedException {
        if (reader != null) {
            String unused = reader.await(LiveReader.READY, START);
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
        for (String line : Files.readAllLines(order.file())) {
            String[] words = line.split(" ", -1);
            if (words.length == 2) {
                kept.add(new Answer(
                        Integer.parseInt(words[0]), Base64.getDecoder().decode(words[1])));
                continue;
            }
            long dueMs = Long.parseLong(words[0]);
            long nanos = Long.parseLong(words[1]);
            int lost = Boolean.parseBoolean(words[2]) ? 1 : 0;
            if (dueMs < fromMs) {
                failed[0] += lost;
            } else if (dueMs < toMs) {
                failed[1] += lost;
                all.recordValue(nanos);
                Map.Entry<Long, Long> burst = bursts.floorEntry(dueMs);
                if (burst != null && dueMs <= burst.getValue()) {
                    inBursts.recordValue(nanos);
                }
            }
        }
        figures.put("reads", all.getTotalCount() - failed[1])
                .put("reads_failed", failed[1])
                .put("reads_failed_before", failed[0])
                .latencies("read", all)
                .put("burst_reads", inBursts.getTotalCount())
                .latencies("burst_read", inBursts);
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
            List<Recount.Key> asked = keys.of(answer.request());
            ReadFeaturesResponse response = ReadFeaturesResponse.parseFrom(answer.bytes());
            boolean isOfEnd = ms(response.getWatermark()) == windowEndMs;
            for (int i = 0; i < asked.size(); i++) {
                FeatureRow row = response.getRows(i);
                boolean isRow = row.hasWindowEnd() && ms(row.getWindowEnd()) == windowEndMs;
                // A row of the next window end may be readable before its watermark; a cell without a row has no window
                // end at the watermark.
                if (isRow || (isOfEnd && !row.hasWindowEnd())) {
                    String difference = difference(view, asked.get(i), row, sums.get(asked.get(i)));
                    if (!difference.isEmpty()) {
                        return difference;
                    }
                    rowsCompared++;
                }
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
