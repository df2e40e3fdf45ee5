package io.thalweg.bench.qalm;

import io.thalweg.bench.Progress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What does load management cost the process, in calm times? The same service without and behind it, both up, the load on one
 * after the other in turn: processor time (user and system, all threads) per call.
 */
public final class Overhead {
    private static final List<String> SYSTEMS = List.of("none", "thalweg");

    private final QalmRun.Setup setup;
    private final int rounds;
    private final Path folder;
    private final Progress progress;

    /** Of one round. */
    public record Round(double noneMicros, double oursMicros) {
        /** How much more ours takes, in percent. */
        public double percent() {
            return 100 * (oursMicros / noneMicros - 1);
        }
    }

    /** {@code setup}: of experiment E4; {@code rounds}: how often each is measured for so long. */
    public Overhead(QalmRun.Setup setup, int rounds, Path folder, Progress progress) {
        this.setup = setup;
        this.rounds = rounds;
        this.folder = folder;
        this.progress = progress;
    }

    /** The rounds, one after the other. */
    public List<Round> measure() throws IOException, InterruptedException {
        QalmRun run = new QalmRun(setup, folder, progress);
        List<Round> measured = new ArrayList<>();
        try (Service none = Service.start(SYSTEMS.get(0), setup, folder);
                Service ours = Service.start(SYSTEMS.get(1), setup, folder)) {
            warmUp(run, none, ours);
            for (int i = 0; i < rounds; i++) {
                // In turn first, so that what drifts favours nobody.
                double first = micros(run, i % 2 == 0 ? none : ours, i);
                double second = micros(run, i % 2 == 0 ? ours : none, i);
                measured.add(i % 2 == 0 ? new Round(first, second) : new Round(second, first));
                progress.say("E4 round %d: %.1f and %.1f µs a call"
                        .formatted(
                                i + 1,
                                measured.get(i).noneMicros(),
                                measured.get(i).oursMicros()));
            }
        }
        return measured;
    }

    /** Compilers are done after some ten thousand calls, not after some hundred. */
    private void warmUp(QalmRun run, Service none, Service ours) throws IOException, InterruptedException {
        QalmRun.Setup warm = new QalmRun.Setup(
                setup.experiment(), Math.max(4, setup.scale()), setup.warmUpSeconds(), 1, setup.seed());
        for (Service service : List.of(none, ours)) {
            run.load(service, "warm", warm);
        }
    }

    private double micros(QalmRun run, Service service, int round) throws IOException, InterruptedException {
        QalmRun.Setup now =
                new QalmRun.Setup(setup.experiment(), setup.scale(), setup.seconds(), 2, setup.seed() + round);
        Measured measured = run.load(service, "round", now);
        Measured.Span all = measured.span("whole", Measured.ALL);
        if (all.lost() > 0) {
            throw new IllegalStateException(all.lost() + " calls were lost in calm times");
        }
        return 1e6 * measured.serverCores() * setup.seconds() / all.calls();
    }
}
