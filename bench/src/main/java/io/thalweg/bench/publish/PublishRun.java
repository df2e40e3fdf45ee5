package io.thalweg.bench.publish;

import io.thalweg.bench.Progress;
import io.thalweg.bench.Result;
import io.thalweg.bench.advertising.RedisServer;
import io.thalweg.bench.demand.Child;
import io.thalweg.bench.demand.Folders;
import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreAddress;
import io.thalweg.store.redis.RedisOnlineStore;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** One broker, one store, one process that writes; each way of writing in turn, each into an empty store. */
public final class PublishRun {
    private static final long PATIENCE_SECONDS = 600;
    /** Of the job, of which there is more to compile. */
    private static final int WARM_UPS = 4;

    private static final List<String> OPTIONS = List.of(
            "-Xmx2g",
            "-XX:+UseParallelGC",
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.util=ALL-UNNAMED");

    private final String store;
    private final Path jars;
    private final DemandRows all;
    private final List<Integer> batches;
    private final List<Integer> parallelisms;
    private final Progress progress;
    private final List<Result> found = new ArrayList<>();
    private final List<String> wrong = new ArrayList<>();

    /**
     * A measurement of so many rows.
     *
     * @param store {@code redis} or {@code cassandra}
     * @param jars of Cassandra's server
     */
    public PublishRun(
            String store, Path jars, long rows, List<Integer> batches, List<Integer> parallelisms, Progress progress) {
        this.store = store;
        this.jars = jars;
        long every = 60_000;
        long first = Math.floorDiv(Clock.systemUTC().millis(), every) * every - 10 * every;
        this.all = new DemandRows(rows, first);
        this.batches = batches;
        this.parallelisms = parallelisms;
        this.progress = progress;
    }

    /** How what stood in the store differed from what was sent; empty if it did not. */
    public String wrong() {
        return String.join("; ", wrong);
    }

    /**
     * Measures all ways.
     *
     * @throws IllegalStateException if the store's server does not start; the message says why
     */
    public List<Result> run() throws IOException, InterruptedException, ExecutionException {
        Path folder = Files.createTempDirectory("thalweg-publish");
        BlockingQueue<String> said = new LinkedBlockingQueue<>();
        try (EmbeddedKafka kafka = EmbeddedKafka.start();
                WrittenStore server = WrittenStore.start(store, folder, jars)) {
            progress.say(server.text() + "; writing " + all.blocks() + " records of " + all.blockRows() + " rows");
            kafka.createTopic(DemandRows.TOPIC, DemandRows.PARTITIONS, Map.of("max.message.bytes", "8388608"));
            all.send(kafka.bootstrap());
            List<String> args = List.of(kafka.bootstrap(), Publisher.text(server.address()));
            try (Child child = Child.java("publisher", folder, OPTIONS, Publisher.class, args, line -> {
                if (line.startsWith("done ")) {
                    said.add(line);
                }
            })) {
                measure(child, said, server);
            }
            if (server instanceof WrittenStore.Redis redis) {
                replay(redis.server());
            }
        } finally {
            Folders.delete(folder);
        }
        return found;
    }

    private void measure(Child child, BlockingQueue<String> said, WrittenStore server)
            throws IOException, InterruptedException {
        long few = Math.max(all.blockRows(), all.rows() / 10);
        // Each way for the compiler, and then to be measured.
        ask(child, said, server, "calls " + Math.min(20_000, few));
        ask(child, said, server, "pipelined " + few);
        for (int time = 0; time < WARM_UPS; time++) {
            ask(child, said, server, "job 5000 1");
        }
        note("one_call_per_row", "1 connection", ask(child, said, server, "calls " + few), server, few);
        note("pipelined", "500 calls", ask(child, said, server, "pipelined " + few), server, few);
        for (int parallelism : parallelisms) {
            for (int batch : batches) {
                note(
                        "thalweg",
                        "batch " + batch + ", parallelism " + parallelism,
                        ask(child, said, server, "job " + batch + " " + parallelism),
                        server,
                        all.rows());
            }
        }
    }

    private double serverBegun;

    private String[] ask(Child child, BlockingQueue<String> said, WrittenStore server, String what)
            throws IOException, InterruptedException {
        server.clear();
        serverBegun = server.processorSeconds();
        progress.say(what);
        child.tell(what);
        String line = said.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (line == null) {
            throw new IllegalStateException("the publisher did not answer to: " + what);
        }
        return line.split(" ", -1);
    }

    private void note(String system, String variant, String[] words, WrittenStore server, long wanted)
            throws IOException {
        double used = server.processorSeconds() - serverBegun;
        long rows = Long.parseLong(words[1]);
        double seconds = Double.parseDouble(words[2]);
        Map<String, Number> figures = new LinkedHashMap<>();
        figures.put("rows", rows);
        figures.put("seconds", seconds);
        figures.put("rows_per_second", Math.rint(rows / seconds));
        figures.put("cpu_seconds_per_million_rows", Double.parseDouble(words[3]) / rows * 1e6);
        figures.put("server_cpu_seconds_per_million_rows", used / rows * 1e6);
        figures.put("rows_per_write", rows / Double.parseDouble(words[4]));
        figures.put("write_p50_ms", Double.parseDouble(words[5]));
        figures.put("write_p99_ms", Double.parseDouble(words[6]));
        found.add(new Result(system, variant, figures));
        boolean whole = wanted == all.rows();
        if (whole) {
            check(system + " " + variant, server.address(), rows);
        }
    }

    private void check(String what, StoreAddress where, long rows) {
        long sent = (long) all.blocks() * all.blockRows();
        if (rows != sent) {
            wrong.add("%s wrote %d of %d rows".formatted(what, rows, sent));
        }
        try (OnlineStore written = where.open(Clock.systemUTC())) {
            String difference = all.difference(written, all.blocks());
            if (!difference.isEmpty()) {
                wrong.add(what + ": " + difference);
            }
            if (what.startsWith("thalweg") && written.watermark("demand").orElse(0) != all.lastEndMs()) {
                wrong.add(what + ": progress is not " + all.lastEndMs());
            }
        }
    }

    /** The store's own calls, recorded once, then sent from memory. */
    private void replay(RedisServer redis) throws IOException, InterruptedException {
        redis.clear();
        progress.say("recording the store's calls, and sending them again");
        try (Replay replay = new Replay(redis.port())) {
            URI through = URI.create("redis://127.0.0.1:" + replay.port());
            long[][] samples = DemandRows.samples();
            try (OnlineStore recorded = RedisOnlineStore.open(through, "bench", Clock.systemUTC())) {
                for (int b = 0; b < all.blocks(); b++) {
                    recorded.write(DemandRows.VIEW, List.of(all.block(b, samples)));
                }
            }
            long rows = (long) all.blocks() * all.blockRows();
            double best = Double.MAX_VALUE;
            double server = 0;
            for (int round = 0; round < 3; round++) {
                redis.clear();
                double before = redis.processorSeconds();
                long begin = System.nanoTime();
                replay.run();
                double seconds = (System.nanoTime() - begin) / 1e9;
                if (seconds < best) {
                    best = seconds;
                    server = redis.processorSeconds() - before;
                }
            }
            check("replay", new WrittenStore.Redis(redis).address(), rows);
            Map<String, Number> figures = new LinkedHashMap<>();
            figures.put("rows", rows);
            figures.put("seconds", best);
            figures.put("rows_per_second", Math.rint(rows / best));
            figures.put("server_cpu_seconds_per_million_rows", server / rows * 1e6);
            found.add(new Result("replay", "the same calls from memory", figures));
        }
    }
}
