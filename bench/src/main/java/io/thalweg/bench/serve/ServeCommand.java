package io.thalweg.bench.serve;

import io.thalweg.api.v1.AnswerForm;
import io.thalweg.bench.demand.DemandRun;
import io.thalweg.bench.demand.Load;
import io.thalweg.bench.harness.Benchmark;
import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Contest.Contestant;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Result;
import io.thalweg.bench.load.ClosedLoop;
import io.thalweg.bench.load.OpenLoop;
import io.thalweg.bench.serve.ServedRows.Server;
import io.thalweg.bench.stores.RedisServer;
import io.thalweg.bench.stores.StoreServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code thalweg bench serve}: how many reads a server answers, and how fast it answers under load. */
@Command(
        name = "serve",
        description =
                "How many reads of 100 keys a second and core thalweg serve answers within 10 ms, beside plain MGET.",
        footer = {
            "",
            "Examples:",
            "  thalweg bench serve --rows 1000000",
            "  thalweg bench serve --under-load    while the demand pipeline runs at full size, in some 30 minutes"
        })
public final class ServeCommand extends Benchmark {
    private static final double UNDER_LOAD_READS = 200;
    /** The seconds of a load right before it is measured. */
    private static final double AGAIN_SECONDS = 3;

    private static final double FULL = 0.9;
    private static final double USUAL = 0.7;
    private static final double LIMIT_MS = 10;
    private static final double LESS = 0.8;
    private static final int TRIALS = 5;

    @Option(names = "--store", split = ",", paramLabel = "NAME", description = "rocksdb,redis,cassandra, the default.")
    private List<String> stores = StoreServer.ALL;

    @Option(names = "--rows", description = "Rows written before, five of each cell; default 1000000.")
    private long rows = 1_000_000;

    @Option(names = "--seconds", description = "How long each load is measured; default 30.")
    private double seconds = 30;

    @Option(names = "--warm-up", description = "Seconds of each load before it is measured; default 40.")
    private double warmUp = 40;

    @Option(
            names = "--under-load",
            description =
                    "Instead: 200 reads of 100 keys a second by gRPC while the whole demand pipeline runs, above all while rows"
                            + " of a window end are written; some answers are compared with a recount.")
    private boolean underLoad;

    @Option(names = "--scale", paramLabel = "NAME", description = "With --under-load: small, medium or full (default).")
    private String scale = "full";

    @Override
    public Integer call() throws Exception {
        requireOneOf("--store", StoreServer.ALL, stores);
        return underLoad ? underLoad() : capacity();
    }

    private int underLoad() throws Exception {
        Load load = Load.of(scale);
        DemandRun run = new DemandRun(load, load.parallelism(), 1, false, null, UNDER_LOAD_READS);
        Contestant reads = new Contestant(OWN, scale, () -> run.run(progress()).score());
        return end("serve-under-load", contest(List.of(reads)), Map.of());
    }

    private int capacity() throws Exception {
        Contest contest = StoreServer.each(stores, out()::println, this::capacity);
        // Of gRPC and HTTP in front of Redis to MGET, in CPU time of all servers.
        List<Result> ofRedis = contest.results().stream()
                .filter(result -> result.variant().startsWith("redis"))
                .toList();
        return end("serve-capacity", contest, Contest.rateRatios(ofRedis, "reads_per_cpu_second"));
    }

    /** Measures the server in front of a store, compared with plain {@code MGET} from the same Redis. */
    private Contest capacity(StoreServer store, Path folder) throws Exception {
        try (ServedRows served = new ServedRows(rows, progress());
                Server server = served.serve(store, folder)) {
            List<long[]> cells = served.cells();
            DoubleSupplier servers = () -> server.cpuSeconds() + cpuSeconds(store);
            List<Contestant> ways = new ArrayList<>();
            ways.add(way(OWN, store.name() + ", grpc", served.grpc(server, cells), servers));
            ways.add(way(OWN, store.name() + ", grpc columns", served.columns(server, cells), servers));
            ways.add(way(OWN, store.name() + ", http", served.http(server, cells), servers));
            for (AnswerForm form : List.of(AnswerForm.ROWS, AnswerForm.COLUMNS)) {
                String variant = store.name() + ", 50 keys x 200, grpc" + (form == AnswerForm.ROWS ? "" : " columns");
                ways.add(way(OWN, variant, served.profiles(server, form), servers));
            }
            if (store instanceof RedisServer redis) {
                ways.add(way("mget", "redis, a value per key", served.mget(redis, cells), () -> cpuSeconds(store)));
            }
            return contest(ways);
        }
    }

    private Contestant way(String system, String variant, CheckedReaders readers, DoubleSupplier cpuSeconds)
            throws Exception {
        progress().say("warming up and comparing, %s %s".formatted(system, variant));
        double unused = ClosedLoop.readsPerSecond(readers, warmUp);
        readers.compareAll();
        return new Contestant(
                system, variant, () -> capacity(readers, cpuSeconds).score(readers.difference()));
    }

    private static double cpuSeconds(StoreServer store) {
        try {
            return store.processorSeconds();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Measures the reads that a server answers within the limit: at the highest of some shares of its capacity at which 99 % take
     * no longer, or at the lowest. {@code reads_per_cpu_second} is the number of answers per CPU time of the server. {@code
     * read_p99_at_70_percent_ms} is the latency at 70 % of the capacity.
     */
    private Figures capacity(CheckedReaders readers, DoubleSupplier cpuSeconds) throws Exception {
        double held = ClosedLoop.readsPerSecond(readers, seconds);
        double rate = FULL * held;
        Figures found = measure(readers, rate, cpuSeconds);
        for (int trial = 1; trial < TRIALS && found.number("read_p99_ms") > LIMIT_MS; trial++) {
            rate *= LESS;
            found = measure(readers, rate, cpuSeconds);
        }
        double used = found.number("server_cores") * seconds;
        Figures usual = measure(readers, USUAL * held, cpuSeconds);
        return found.put("reads_per_second_held", held)
                .put("reads_per_cpu_second", found.number("reads") / used)
                .put("read_p99_at_70_percent_ms", usual.number("read_p99_ms"));
    }

    /**
     * Measures the latency of reads in an open loop.
     *
     * @param cpuSeconds of the server so far, which shares the machine
     */
    private Figures measure(CheckedReaders readers, double perSecond, DoubleSupplier cpuSeconds) throws IOException {
        OpenLoop loop = new OpenLoop(readers, perSecond, 1);
        loop.run(AGAIN_SECONDS);
        readers.compareKept(); // makes room for answers of the measured time
        double begun = cpuSeconds.getAsDouble();
        loop.run(seconds);
        return new Figures()
                .put("reads_per_second", perSecond)
                .putAll(loop.figures("read").asMap())
                .put("answer_bytes", loop.answerBytes())
                .put("server_cores", (cpuSeconds.getAsDouble() - begun) / seconds);
    }
}
