package io.thalweg.bench.qalm;

import io.thalweg.bench.harness.ProcessorTime;
import io.thalweg.bench.harness.Progress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * What does protection cost the process, in calm times? The same service without and behind it, both up, the load on one after
 * the other in turns of {@value #TURN_SECONDS} s: processor time (user and system, all threads) per call. The turns are short
 * because the machine drifts: minutes apart, the same code takes a third more or less.
 *
 * @param setup of experiment E4
 * @param systems which, {@link #BASE} among them
 * @param rounds how often each is measured for so long
 */
public record Overhead(QalmRun.Setup setup, List<String> systems, int rounds, Path folder, Progress progress) {
    /** What all others are compared with. */
    public static final String BASE = "none";

    private static final int TURN_SECONDS = 2;

    /**
     * Processor time of a call in µs, by system.
     *
     * @param micros without the JIT compilers
     * @param compilerMicros theirs, which comes to an end
     */
    public record Round(Map<String, Double> micros, Map<String, Double> compilerMicros) {
        /** Of one system. */
        public double of(String system) {
            return Objects.requireNonNull(micros.get(system), system);
        }

        /** What the compilers took beside it. */
        public double compilers(String system) {
            return Objects.requireNonNull(compilerMicros.get(system), system);
        }

        /** How much more it takes than without, in percent. */
        public double percent(String system) {
            return 100 * (of(system) / of(BASE) - 1);
        }
    }

    /**
     * What was measured.
     *
     * @param lost calls that were not answered: the times were not calm, and the rounds say little
     */
    public record Costs(List<Round> rounds, long lost) {}

    /** The rounds, one after the other. */
    public Costs measure() throws IOException, InterruptedException {
        List<Service> services = new ArrayList<>();
        try {
            for (String system : systems) {
                services.add(Service.start(system, setup, folder));
            }
            QalmRun run = new QalmRun(setup, folder, progress);
            // Compilers are done after some ten thousand calls, not after some hundred.
            var unused =
                    load(run, services, Math.max(4, setup.scale()), setup.warmUpSeconds() * systems.size(), line -> {});
            Meter meter = new Meter(services);
            Measured measured = load(run, services, setup.scale(), rounds * roundSeconds(), meter);
            return new Costs(
                    meter.rounds(), measured.span("whole", Measured.ALL).lost());
        } finally {
            services.forEach(Service::close);
        }
    }

    private int turnSeconds() {
        return setup.seconds() % TURN_SECONDS == 0 ? TURN_SECONDS : 1;
    }

    private int roundSeconds() {
        return setup.seconds() * systems.size();
    }

    private Measured load(QalmRun run, List<Service> services, double scale, int seconds, Consumer<String> lines)
            throws IOException, InterruptedException {
        QalmRun.Setup now = new QalmRun.Setup(setup.experiment(), scale, seconds, 2, setup.seed());
        return run.load(services, "overhead", now, turnSeconds(), lines);
    }

    /** Reads the processor time of all services as each turn ends. Used by the thread that reads the load's lines. */
    private final class Meter implements Consumer<String> {
        private final List<Service> services;
        private final TurnSchedule turns = new TurnSchedule(systems.size(), turnSeconds());
        private final List<List<Turn>> byRound = new ArrayList<>();
        private List<ProcessorTime> before = List.of();

        private record Turn(String system, ProcessorTime time, int calls) {}

        Meter(List<Service> services) {
            this.services = services;
        }

        @Override
        public synchronized void accept(String line) {
            if (line.equals("phase run")) {
                before = look();
            } else if (line.startsWith("turn ")) {
                String[] words = line.split(" ", -1);
                ended(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
            }
        }

        private List<ProcessorTime> look() {
            return services.stream().map(Service::processorTime).toList();
        }

        private void ended(int turn, int calls) {
            List<ProcessorTime> now = look();
            int system = turns.ofTurn(turn);
            int round = turn * turns.seconds() / roundSeconds();
            if (round == byRound.size()) {
                byRound.add(new ArrayList<>());
            }
            byRound.get(round).add(new Turn(systems.get(system), now.get(system).minus(before.get(system)), calls));
            before = now;
        }

        synchronized List<Round> rounds() {
            return byRound.stream()
                    .map(turns -> new Round(
                            micros(turns, time -> time.used() - time.compilers()),
                            micros(turns, ProcessorTime::compilers)))
                    .toList();
        }

        private static Map<String, Double> micros(List<Turn> turns, ToLongFunction<ProcessorTime> part) {
            return turns.stream()
                    .collect(Collectors.groupingBy(
                            Turn::system,
                            Collectors.teeing(
                                    Collectors.summingLong(turn -> part.applyAsLong(turn.time())),
                                    Collectors.summingLong(Turn::calls),
                                    (nanos, calls) -> nanos / 1e3 / Math.max(1, calls))));
        }
    }
}
