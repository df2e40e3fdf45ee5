package io.thalweg.bench.qalm;

import io.thalweg.bench.Progress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What does protection cost the process, in calm times? The same service without and behind it, all up, the load on one after
 * the other in turn: processor time (user and system, all threads) per call.
 */
public final class Overhead {
    /** What all others are compared with. */
    public static final String BASE = "none";

    private final QalmRun.Setup setup;
    private final List<String> systems;
    private final int rounds;
    private final Path folder;
    private final Progress progress;

    /** Processor time of a call in µs, by system. */
    public record Round(Map<String, Double> micros) {
        /** Of one system. */
        public double of(String system) {
            return Objects.requireNonNull(micros.get(system), system);
        }

        /** How much more it takes than without, in percent. */
        public double percent(String system) {
            return 100 * (of(system) / of(BASE) - 1);
        }
    }

    /**
     * @param setup of experiment E4
     * @param systems which, {@link #BASE} among them
     * @param rounds how often each is measured for so long
     */
    public Overhead(QalmRun.Setup setup, List<String> systems, int rounds, Path folder, Progress progress) {
        this.setup = setup;
        this.systems = systems;
        this.rounds = rounds;
        this.folder = folder;
        this.progress = progress;
    }

    /** The rounds, one after the other. */
    public List<Round> measure() throws IOException, InterruptedException {
        Map<String, Service> services = new LinkedHashMap<>();
        try {
            for (String system : systems) {
                services.put(system, Service.start(system, setup, folder));
            }
            return measure(services);
        } finally {
            services.values().forEach(Service::close);
        }
    }

    private List<Round> measure(Map<String, Service> services) throws IOException, InterruptedException {
        QalmRun run = new QalmRun(setup, folder, progress);
        warmUp(run, services);
        List<String> order = new ArrayList<>(systems);
        List<Round> measured = new ArrayList<>();
        for (int i = 0; i < rounds; i++) {
            Map<String, Double> micros = new LinkedHashMap<>();
            for (String system : order) {
                micros.put(system, micros(run, Objects.requireNonNull(services.get(system)), i));
            }
            measured.add(new Round(micros));
            progress.say("E4 round %d, µs a call: %s".formatted(i + 1, micros));
            // Forth and back, so that what drifts favours nobody.
            Collections.reverse(order);
        }
        return measured;
    }

    /** Compilers are done after some ten thousand calls, not after some hundred. */
    private void warmUp(QalmRun run, Map<String, Service> services) throws IOException, InterruptedException {
        QalmRun.Setup warm = new QalmRun.Setup(
                setup.experiment(), Math.max(4, setup.scale()), setup.warmUpSeconds(), 1, setup.seed());
        for (Service service : services.values()) {
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
