package io.thalweg.bench.ingest;

import io.thalweg.bench.harness.Contest.Score;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Folders;
import io.thalweg.bench.harness.Messages;
import io.thalweg.bench.harness.Meter;
import io.thalweg.bench.ingest.Ingester.IngestOrder;
import java.nio.file.Path;

/** The process of one system that writes rides to tables: a small input until its code is compiled, then the measured input. */
public final class IngestContestant {
    /** The line that it prints when it is compiled and begins to follow the topic. */
    public static final String FOLLOWING = "follows the topic";

    private final IngestOrder order;
    private final Ingester system;
    private final Meter meter = new Meter();

    private IngestContestant(IngestOrder order) {
        this.order = order;
        system = Ingester.of(order);
    }

    /** Runs the {@link IngestOrder} in the arguments. */
    public static void main(String[] args) {
        Messages.endWith(() -> new IngestContestant(Messages.read(args[0], IngestOrder.class)).run());
    }

    private Score run() throws Exception {
        Meter.Cost small = Meter.warmUp(order.warmUpSeconds(), this::warmUp);
        Meter.Cost pass = measured();
        Figures found = new Figures()
                .put("cpu_seconds", pass.cpuSeconds())
                .put("seconds", pass.seconds())
                .put("small_cpu_seconds", small.cpuSeconds())
                .put("compilers_cpu_seconds", pass.compilersCpuSeconds())
                .put("compiling_seconds", pass.compilingSeconds())
                .put("collecting_seconds", pass.collectingSeconds())
                .put("allocated_bytes", pass.allocatedBytes());
        system.figures().forEach((name, figure) -> found.put(name, figure.doubleValue()));
        return found.score("");
    }

    private Meter.Cost warmUp(int number) throws Exception {
        Path output = Folders.temporary().resolve("warm-up-" + number);
        Meter.Cost cost = pass(order.warmUp(), output);
        Folders.delete(output);
        return cost;
    }

    private Meter.Cost measured() throws Exception {
        if (order.follow() == 0) {
            return pass(order.input(), order.output());
        }
        Messages.progress(FOLLOWING);
        return meter.measure(() -> system.follow(order.input(), order.follow(), order.output()));
    }

    private Meter.Cost pass(String input, Path output) throws Exception {
        return meter.measure(() -> system.ingest(input, output));
    }
}
