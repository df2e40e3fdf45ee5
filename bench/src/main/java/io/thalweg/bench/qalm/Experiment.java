package io.thalweg.bench.qalm;

import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;

/**
 * A load and the service under it. Both processes create it from its name and size, so that they agree.
 *
 * <p><b>Units.</b> Rates are calls per second. Times start at the end of the warm-up, which has times below zero.
 *
 * @param name {@code E1} to {@code E4}
 * @param workers threads of the service, each of which works on one call at a time
 * @param capacityPerSecond their capacity: {@code workers ÷ mean service time}
 * @param streams the callers
 * @param windows the times that are reported; the first is the one that counts
 * @param seconds how long it lasts after the warm-up
 */
public record Experiment(
        String name, int workers, double capacityPerSecond, List<Stream> streams, List<Window> windows, int seconds) {

    /**
     * A caller that calls one method in a Poisson stream, regardless of the answers.
     *
     * @param level its criticality, 0 to 3
     * @param serviceMs mean service time of a call; lognormal, σ 0.5
     * @param timeoutMs the longest that it waits
     * @param perSecond its rate at a time
     */
    public record Stream(
            String caller, int level, String method, double serviceMs, int timeoutMs, DoubleUnaryOperator perSecond) {}

    /** A span of time that is reported. */
    public record Window(String name, double from, double to) {
        boolean holds(double second) {
            return second >= from && second < to;
        }
    }

    /** The names of all experiments. */
    public static final List<String> NAMES = List.of("E1", "E2", "E3", "E4");

    /** The default duration of an experiment. */
    public static int usualSeconds(String name) {
        return switch (name) {
            case "E1" -> 90;
            case "E3" -> 1_800;
            default -> 60;
        };
    }

    /**
     * Returns the experiment of a name.
     *
     * @param scale 1 for the published rates, 0.1 for a tenth of workers and calls
     * @param seconds how long the part that counts lasts
     */
    public static Experiment of(String name, double scale, int seconds) {
        int workers = (int) Math.round(160 * scale);
        return switch (name) {
            case "E1" -> degradation(new Ground(name, workers, 4_800 * scale, seconds));
            case "E2" -> criticality(new Ground(name, workers, 3_450 * scale, seconds), 2_300 * scale);
            case "E3" -> isolation(name, Math.max(8, (int) Math.round(64 * scale)), seconds);
            case "E4" -> calm(new Ground(name, 64, 64 / 5e-3, seconds), 100 * scale);
            default ->
                throw new IllegalArgumentException("the experiments are " + String.join(", ", NAMES) + ", was " + name);
        };
    }

    /** The service of an experiment, and the duration of the part that counts. */
    private record Ground(String name, int workers, double capacity, int seconds) {
        /** The mean service time of a call. */
        double ms() {
            return 1e3 * workers / capacity;
        }

        /** When watching ends, some time after the load. */
        int end() {
            return seconds + Math.max(3, seconds / 3);
        }

        Window after() {
            return new Window("after", seconds + 1, end());
        }

        boolean counts(double second) {
            return second >= 0 && second < seconds;
        }

        /** Returns a load of this share of the capacity while it counts, and of half of the capacity before and afterwards. */
        DoubleUnaryOperator load(double ofCapacity) {
            return second -> capacity * (counts(second) ? ofCapacity : 0.5);
        }

        Stream stream(String caller, int level, int timeoutMs, double share, DoubleUnaryOperator perSecond) {
            return new Stream(
                    caller, level, "call", ms(), timeoutMs, second -> share * perSecond.applyAsDouble(second));
        }

        Experiment experiment(int lasts, List<Stream> streams, Window... windows) {
            return new Experiment(name, workers, capacity, streams, List.of(windows), lasts);
        }
    }

    /** 125 % of the capacity: half of the calls are of level 1, 30 % of level 2, 20 % of level 3. */
    private static Experiment degradation(Ground of) {
        int seconds = of.seconds();
        DoubleUnaryOperator load = of.load(1.25);
        return of.experiment(
                of.end(),
                List.of(
                        of.stream("core", 1, 30_000, 0.5, load),
                        of.stream("feature", 2, 30_000, 0.3, load),
                        of.stream("background", 3, 30_000, 0.2, load)),
                new Window("overload", 0, seconds),
                new Window("second_1", 0.5, 1.5),
                new Window("at_8_9", seconds * 75 / 90.0, seconds * 80 / 90.0),
                of.after());
    }

    /** Two callers of the same rate, of which one is critical. */
    private static Experiment criticality(Ground of, double rate) {
        DoubleUnaryOperator load = second -> of.counts(second) ? rate : 0.375 * rate;
        return of.experiment(
                of.end(),
                List.of(of.stream("document", 1, 5_000, 1, load), of.stream("document-staging", 3, 5_000, 1, load)),
                new Window("overload", 0, of.seconds()),
                of.after());
    }

    /** One method has few calls, while the calls of another go from a fifth to 120 % and 180 % of the capacity. */
    private static Experiment isolation(String name, int workers, int seconds) {
        double part = workers / 64.0;
        Ground of = new Ground(name, workers, part * 1_000, seconds);
        // The warm-up is busier than the calm part: at 200 a second, compilations would only begin with the spikes.
        DoubleUnaryOperator spikes = second ->
                part * (second < 0 ? 700 : second < seconds / 6.0 ? 200 : second < seconds / 1.5 ? 1_200 : 1_800);
        return of.experiment(
                seconds,
                List.of(
                        new Stream("checkout", 2, "apply", of.ms(), 1_000, second -> 10),
                        new Stream("shop", 2, "getProvidedCards", of.ms(), 30_000, spikes)),
                new Window("whole", 0, seconds),
                new Window("calm", 0, seconds / 6.0),
                new Window("spikes", seconds / 6.0 + 5, seconds));
    }

    /** Five methods of the same rate, far below the capacity. */
    private static Experiment calm(Ground of, double rate) {
        // The warm-up is busier: the question is about a service that has run for long, not about compilation.
        DoubleUnaryOperator load = second -> second < 0 ? Math.max(rate, 400) : rate;
        return of.experiment(
                of.seconds(),
                IntStream.range(0, 5)
                        .mapToObj(i -> new Stream("caller-" + i, i % 4, "method" + i, of.ms(), 10_000, load))
                        .toList(),
                new Window("whole", 0, of.seconds()));
    }

    Window counted() {
        return windows.get(0);
    }

    /** Returns the level of a caller; 2 for unknown callers. */
    int level(String caller) {
        return streams.stream()
                .filter(stream -> stream.caller().equals(caller))
                .mapToInt(Stream::level)
                .findFirst()
                .orElse(2);
    }

    /** The methods of the service. */
    List<String> methods() {
        return streams.stream().map(Stream::method).distinct().toList();
    }
}
