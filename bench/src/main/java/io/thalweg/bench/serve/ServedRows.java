package io.thalweg.bench.serve;

import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Ports;
import io.thalweg.bench.harness.Progress;
import io.thalweg.bench.load.Readers;
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
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** The rows that every store is filled with, what is asked of them, and {@code ./thalweg serve} in front of them. */
final class ServedRows {
    private static final Duration START = Duration.ofSeconds(60);
    private static final int REQUESTS = 500;
    private static final int SHARDS = 4;
    private static final RingDivisors DIVISORS = new RingDivisors(DemandRows.VIEW);

    private final DemandRows rows;
    private final Progress progress;

    /**
     * Rows that have not been written.
     *
     * @param count how many; each cell has its last five
     */
    ServedRows(long count, Progress progress) {
        this(new DemandRows(count, DemandRows.recentEndMs(Clock.systemUTC())), progress);
    }

    ServedRows(DemandRows rows, Progress progress) {
        this.rows = rows;
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
                store.write(view, List.of(rows.block(b)));
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

    /** All of them. */
    long[] allCells() {
        return IntStream.range(0, rows.tiles())
                .boxed()
                .flatMapToLong(
                        tile -> IntStream.range(0, rows.blockRows()).mapToLong(row -> DemandRows.cell(tile, row)))
                .toArray();
    }

    /** The newest row of a cell. */
    Answers.Row newest(long cell) {
        return new Answers.Row(rows.newestEndMs(cell), DIVISORS.values(rows.newestSums(cell), null));
    }

    /** Readers of these cells whose answers must be the newest rows. */
    CheckedReaders checked(Readers readers, List<long[]> cells, Answers.Form form) {
        return new CheckedReaders(readers, (request, answer) -> difference(cells.get(request), form.rows(answer)));
    }

    /** How what was answered differs from the newest rows of cells; empty if it does not. */
    String difference(long[] cells, List<Answers.Row> answered) {
        if (answered.size() != cells.length) {
            return "%d of %d keys were answered".formatted(answered.size(), cells.length);
        }
        for (int i = 0; i < cells.length; i++) {
            Answers.Row row = answered.get(i);
            Answers.Row expected = newest(cells[i]);
            if (row.windowEndMs() != expected.windowEndMs() || !Arrays.equals(row.values(), expected.values())) {
                return "cell %x is answered with other values than were written".formatted(cells[i]);
            }
        }
        return "";
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
        server.awaitHttp(port, "/livez", START);
        return new Server(server, port);
    }

    /** Starts a command of Thalweg's. */
    Child thalweg(Path folder, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(Clone.launcher().toString()));
        command.addAll(List.of(arguments));
        return Child.start(arguments[0], folder, Map.of("THALWEG_NO_BUILD", "1"), command, line -> {});
    }
}
