package io.thalweg.bench.serve;

import io.thalweg.api.v1.FeatureRow;
import io.thalweg.api.v1.FeatureValue;
import io.thalweg.api.v1.ReadFeaturesResponse;
import io.thalweg.bench.demand.ThalwegServer;
import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Ports;
import io.thalweg.bench.harness.Progress;
import io.thalweg.bench.publish.DemandRows;
import io.thalweg.bench.suite.Clone;
import io.thalweg.model.FeatureView;
import io.thalweg.model.row.RingDivisors;
import io.thalweg.store.OnlineStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;

/** The rows that every store is filled with, what is asked of them, and {@code ./thalweg serve} in front of them. */
final class ServedRows {
    private static final Duration START = Duration.ofSeconds(60);
    private static final int REQUESTS = 500;
    private static final int SHARDS = 4;
    private static final RingDivisors DIVISORS = new RingDivisors(DemandRows.VIEW);

    private final DemandRows rows;
    private final long[][] samples = DemandRows.samples();
    private final Progress progress;

    /**
     * Rows that have not been written.
     *
     * @param count how many; each cell has its last five
     */
    ServedRows(long count, Progress progress) {
        this.rows = new DemandRows(count, DemandRows.recentEndMs(Clock.systemUTC()));
        this.progress = progress;
    }

    /** The last window end that all cells have a row of. */
    long watermarkMs() {
        return rows.lastEndMs() - DemandRows.VIEW.windows().every().millis();
    }

    /**
     * Writes all rows, and closes the store.
     *
     * @param view {@link DemandRows#VIEW}, in any layout
     */
    void fill(OnlineStore store, FeatureView view) {
        progress.say("writing %,d rows of 54 features".formatted(rows.count()));
        try (store) {
            for (int b = 0; b < rows.blocks(); b++) {
                store.write(view, List.of(rows.block(b, samples)));
            }
            for (int shard = 0; shard < SHARDS; shard++) {
                store.writeProgress(
                        new io.thalweg.model.row.Progress(view.qualifiedName(), shard, SHARDS, watermarkMs()));
            }
            store.flush();
        }
    }

    /** Any cells of those written, by chance: of each request. */
    List<long[]> cells(Load load) {
        Random random = new Random(load.keys());
        List<long[]> requests = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            requests.add(LongStream.generate(
                            () -> DemandRows.cell(random.nextInt(rows.tiles()), random.nextInt(rows.blockRows())))
                    .limit(load.keys())
                    .toArray());
        }
        return requests;
    }

    /** How an answer differs from the newest rows of cells; empty if it does not. */
    String difference(long[] cells, ReadFeaturesResponse answer) {
        if (answer.getRowsCount() != cells.length) {
            return "%d of %d keys were answered".formatted(answer.getRowsCount(), cells.length);
        }
        for (int i = 0; i < cells.length; i++) {
            FeatureRow row = answer.getRows(i);
            double[] expected = DIVISORS.values(rows.newestSums(cells[i], samples), null);
            double[] found = row.getValuesList().stream()
                    .mapToDouble(FeatureValue::getDoubleValue)
                    .toArray();
            if (row.getWindowEnd().getSeconds() * 1_000 != rows.newestEndMs(cells[i])
                    || !Arrays.equals(found, expected)) {
                return "cell %x is answered as %s with other values than were written"
                        .formatted(cells[i], row.getStatus());
            }
        }
        return "";
    }

    /** A server that answers. */
    record Server(Child process, int port) implements AutoCloseable {
        @Override
        public void close() {
            process.close();
        }
    }

    /**
     * Starts a server.
     *
     * @param folder where its files are written to
     * @param definition of the view
     * @param address of the store, as in {@code thalweg.yaml}
     */
    Server serve(Path folder, String definition, String address) throws IOException, InterruptedException {
        int port = Ports.free();
        Files.writeString(folder.resolve("demand.yaml"), definition);
        Files.writeString(folder.resolve("thalweg.yaml"), "store: %s\nserver: {port: %d}\n".formatted(address, port));
        Child server = thalweg(folder, "serve", "demand.yaml", "--config", "thalweg.yaml");
        try {
            server.await("answer", START, new ThalwegServer(port)::isUp);
            return new Server(server, port);
        } catch (RuntimeException | InterruptedException e) {
            server.close();
            throw e;
        }
    }

    /** Starts a command of Thalweg's. */
    Child thalweg(Path folder, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(Clone.launcher().toString()));
        command.addAll(List.of(arguments));
        return Child.start(arguments[0], folder, Map.of("THALWEG_NO_BUILD", "1"), command, line -> {});
    }
}
