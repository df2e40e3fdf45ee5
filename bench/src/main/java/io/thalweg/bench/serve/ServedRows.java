package io.thalweg.bench.serve;

import io.thalweg.api.v1.AnswerForm;
import io.thalweg.api.v1.ReadFeaturesRequest;
import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Clone;
import io.thalweg.bench.harness.Meter;
import io.thalweg.bench.harness.Progress;
import io.thalweg.bench.load.GrpcReaders;
import io.thalweg.bench.load.Readers;
import io.thalweg.bench.publish.DemandRows;
import io.thalweg.bench.stores.RedisServer;
import io.thalweg.bench.stores.StoreServer;
import io.thalweg.model.view.FeatureView;
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
import java.util.stream.Stream;

/**
 * The rows that every store is filled with, the {@code ./thalweg serve} in front of them, and their readers, which are closed
 * with the rows.
 */
final class ServedRows implements AutoCloseable {
    private static final Duration START = Duration.ofSeconds(60);
    private static final int REQUESTS = 500;
    /** The keys of a request. */
    private static final int KEYS = 100;

    private static final int SHARDS = 4;
    private static final String DEFINITION = "demand.yaml";
    private static final String CONFIG = "thalweg.yaml";

    private static final int USERS = 20_000;

    private final DemandRows rows;
    private final ProfileRows profiles;
    private final Progress progress;
    private final List<Readers> opened = new ArrayList<>();

    /**
     * Creates rows that have not been written yet.
     *
     * @param count of rows; each cell has its last five
     */
    ServedRows(long count, Progress progress) {
        this(new DemandRows(count, DemandRows.recentEndMs(Clock.systemUTC())), progress);
    }

    ServedRows(DemandRows rows, Progress progress) {
        this.rows = rows;
        this.profiles = new ProfileRows(USERS, rows.lastEndMs());
        this.progress = progress;
    }

    /**
     * Writes all rows to a store, which is empty, and starts a server in front of it.
     *
     * @param folder for the server's files
     */
    Server serve(StoreServer store, Path folder) throws IOException, InterruptedException {
        fill(store);
        int port = Child.freePort();
        Files.writeString(folder.resolve(DEFINITION), DemandRows.DEFINITION + "---\n" + ProfileRows.DEFINITION);
        Files.writeString(folder.resolve(CONFIG), "store: %s\nserver: {port: %d}\n".formatted(store.yaml(), port));
        List<String> command = List.of(Clone.launcher().toString(), "serve", DEFINITION, "--config", CONFIG);
        Child server = Child.start("serve", folder, Map.of("THALWEG_NO_BUILD", "1"), command);
        server.awaitHttp(port, "/livez", START);
        return new Server(server, port);
    }

    private void fill(StoreServer store) throws IOException {
        FeatureView view = DemandRows.VIEW;
        progress.say("writing %,d rows of 54 features".formatted(rows.count()));
        // All cells have a row of the second-to-last window end.
        long watermarkMs = rows.lastEndMs() - view.windows().every().millis();
        try (OnlineStore open = store.open(Clock.systemUTC())) {
            for (int b = 0; b < rows.blocks(); b++) {
                open.write(view, List.of(rows.block(b)));
            }
            for (int shard = 0; shard < SHARDS; shard++) {
                open.writeProgress(new io.thalweg.model.row.Progress(view.qualifiedName(), shard, SHARDS, watermarkMs));
            }
            profiles.writeTo(open);
            open.flush();
        }
        store.settle(view.qualifiedName());
    }

    /** Draws random written cells for each request. */
    List<long[]> cells() {
        Random random = new Random(KEYS);
        return Stream.generate(() -> rows.draw(KEYS, rows.tiles(), random))
                .limit(REQUESTS)
                .toList();
    }

    long[] allCells() {
        return IntStream.range(0, rows.tiles())
                .mapToObj(rows::cells)
                .flatMapToLong(LongStream::of)
                .toArray();
    }

    Answers.Row newest(long cell) {
        return new Answers.Row(rows.newestEndMs(cell), DemandRows.features(rows.newestSums(cell)));
    }

    /** Reads these cells by gRPC, row by row. */
    CheckedReaders grpc(Server server, List<long[]> cells) {
        return checked(new GrpcReaders(server.port(), requests(cells, AnswerForm.ROWS)), cells, Answers::ofGrpc);
    }

    /** Reads these cells by gRPC, in columns. */
    CheckedReaders columns(Server server, List<long[]> cells) {
        return checked(new GrpcReaders(server.port(), requests(cells, AnswerForm.COLUMNS)), cells, Answers::ofColumns);
    }

    /** Reads 50 keys of a view of 200 features by gRPC. */
    CheckedReaders profiles(Server server, AnswerForm form) {
        List<int[]> drawn = profiles.draw();
        Readers readers = new GrpcReaders(server.port(), ProfileRows.requests(drawn, form));
        Answers.Form parser = form == AnswerForm.ROWS ? Answers::ofGrpc : Answers::ofColumns;
        opened.add(readers);
        return new CheckedReaders(
                readers, (request, answer) -> difference(parser.rows(answer), profiles.expected(drawn.get(request))));
    }

    private static List<ReadFeaturesRequest> requests(List<long[]> cells, AnswerForm form) {
        return GrpcReaders.requests(
                DemandRows.VIEW.qualifiedName(),
                cells.stream()
                        .map(each -> LongStream.of(each)
                                .mapToObj(cell -> Map.of("cell", Long.toHexString(cell)))
                                .toList()),
                form);
    }

    /** Reads these cells by HTTP/JSON. */
    CheckedReaders http(Server server, List<long[]> cells) {
        return checked(new HttpReaders(server.port(), cells), cells, Answers::ofView);
    }

    /** Writes the rows to Redis again, one value per key, and reads these cells by {@code MGET}. */
    CheckedReaders mget(RedisServer redis, List<long[]> cells) throws IOException {
        return checked(RedisBlobs.of(redis, this, cells), cells, RedisBlobs::rows);
    }

    /** Returns readers of these cells whose answers must be the newest rows. */
    CheckedReaders checked(Readers readers, List<long[]> cells, Answers.Form form) {
        opened.add(readers);
        return new CheckedReaders(
                readers,
                (request, answer) -> difference(
                        form.rows(answer),
                        LongStream.of(cells.get(request)).mapToObj(this::newest).toList()));
    }

    /** Returns how the rows of an answer differ from those that were written; empty if they do not. */
    private static String difference(List<Answers.Row> answered, List<Answers.Row> written) {
        if (answered.size() != written.size()) {
            return "%d of %d keys were answered".formatted(answered.size(), written.size());
        }
        for (int i = 0; i < written.size(); i++) {
            Answers.Row row = answered.get(i);
            Answers.Row expected = written.get(i);
            if (row.windowEndMs() != expected.windowEndMs() || !Arrays.equals(row.values(), expected.values())) {
                return "key %d is answered with other values than were written".formatted(i);
            }
        }
        return "";
    }

    @Override
    public void close() {
        opened.forEach(Readers::close);
    }

    /** A server: a process that listens on a port, and its workers, if it has any. */
    record Server(Child process, int port) implements AutoCloseable {
        /** The CPU time of all its processes so far. */
        double cpuSeconds() {
            return processes().mapToDouble(each -> Meter.cpuSeconds(each.pid())).sum();
        }

        private Stream<ProcessHandle> processes() {
            return ProcessHandle.of(process.pid()).stream()
                    .flatMap(each -> Stream.concat(Stream.of(each), each.descendants()));
        }

        @Override
        public void close() {
            List<ProcessHandle> all = processes().toList();
            process.close();
            all.forEach(ProcessHandle::destroyForcibly);
        }
    }
}
