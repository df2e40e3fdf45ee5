package io.thalweg.bench.ingest;

import io.thalweg.bench.harness.ContestantOutput;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Folders;
import io.thalweg.bench.harness.Meter;
import io.thalweg.bench.harness.Orders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The process of one system that writes rides to tables: a small input until it is compiled, then the one that is measured.
 */
public final class IngestContestant {
    /** What it says when it is compiled and begins to follow the topic. */
    public static final String FOLLOWING = "follows the topic";

    private final IngestOrder order;
    private final Ingester system;
    private final Meter meter = new Meter();

    private IngestContestant(IngestOrder order) {
        this.order = order;
        system = Ingester.of(order);
    }

    /** The arguments are those of an {@link IngestOrder}. */
    public static void main(String[] args) {
        try {
            run(args);
            System.exit(0);
        } catch (Exception | Error e) {
            e.printStackTrace();
            System.exit(1); // threads of Flink would keep a process alive that has failed
        }
    }

    private static void run(String[] args) throws Exception {
        IngestContestant contestant = new IngestContestant(Orders.read(args[0], IngestOrder.class));
        Meter.Cost small = contestant.warmUp();
        Meter.Cost pass = contestant.measured();
        Figures found = new Figures()
                .put("cpu_seconds", pass.cpuSeconds())
                .put("seconds", pass.seconds())
                .put("small_cpu_seconds", small.cpuSeconds())
                .put("compilers_cpu_seconds", pass.compilersCpuSeconds())
                .put("compiling_seconds", pass.compilingSeconds())
                .put("collecting_seconds", pass.collectingSeconds())
                .put("allocated_bytes", pass.allocatedBytes());
        contestant.system.figures().forEach((name, figure) -> found.put(name, figure.doubleValue()));
        ContestantOutput.score(found.score(""));
    }

    /**
     * At least two passes, until next to nothing is compiled any more: a job that runs for days is. One pass if no time is given for it.
     * Returns the last one.
     */
    private Meter.Cost warmUp() throws Exception {
        double left = order.warmUpSeconds();
        int least = left > 0 ? 2 : 1;
        int passes = 0;
        Meter.Cost pass;
        do {
            Path output = order.folder().resolve("warm-up-" + passes);
            pass = pass(order.warmUp(), output);
            deleteIfThere(output);
            passes++;
            left -= pass.seconds();
            ContestantOutput.progress(
                    "warm-up %d: %.1f s, compilers %.1f s".formatted(passes, pass.seconds(), pass.compilingSeconds()));
        } while (passes < least || (left > 0 && !pass.isCompiled()));
        return pass;
    }

    private Meter.Cost measured() throws Exception {
        if (order.follow() == 0) {
            return pass(order.input(), order.output());
        }
        ContestantOutput.progress(FOLLOWING);
        return meter.measure(() -> system.follow(order.input(), order.follow(), order.output()));
    }

    private Meter.Cost pass(String input, Path output) throws Exception {
        return meter.measure(() -> system.ingest(input, output));
    }

    private static void deleteIfThere(Path output) throws IOException {
        if (Files.exists(output)) {
            Folders.delete(output);
        }
    }
}
