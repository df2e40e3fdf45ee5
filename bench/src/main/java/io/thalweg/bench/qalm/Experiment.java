package io.thalweg.bench.qalm;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;

/**
 * A load and the service under it. Both processes create it from its name and size, so that they agree.
 *
 * <p><b>Units.</b> Rates are calls per second. Times start at the end of the warm-up, which has times below zero.
 *
 * @param name {@code E1} …
 * @param workers threads of the service, each of which works on one call at a time
 * @param capacityPerSecond their capacity: {@code workers ÷ mean service time}
 * @param streams the callers
 * @param windows the times that are reported; the first is the one that counts
 * @param seconds how long it lasts after the warm-up
 * @param slowdown the factor by which the service is slower than usual at a time
 * @param pauses whether the server's process is stopped for 200 ms every 5 s
 */
public record Experiment(
        String name,
        int workers,
        double capacityPerSecond,
        List<Stream> streams,
        List<Window> windows,
        int seconds,
        DoubleUnaryOperator slowdown,
        boolean pauses) {

    /**
     * A caller that calls one method in a Poisson stream, regardless of the answers.
     *
     * @param level its criticality, 0 to 3
     * @param serviceMs mean service time of a call; lognormal, σ 0.5
     * @param timeoutMs the longest that it waits
     * @param retries how often it retries if the answer does not forbid that
     * @param hops calls of one trace that it makes one after the other; all of them must succeed
     * @param perSecond its rate at a time
     */
    public record Stream(
            String caller,
            int level,
            String method,
            double serviceMs,
            int timeoutMs,
            int retries,
            int hops,
            DoubleUnaryOperator perSecond) {
        Stream withRetries(int times) {
            return new Stream(caller, level, method, serviceMs, timeoutMs, times, hops, perSecond);
        }
    }

    /** A span of time that is reported. */
    public record Window(String name, double from, double to) {
        boolean holds(double second) {
            return second >= from && second < to;
        }
    }

    /** The names of all experiments. */
    public static final List<String> NAMES =
            List.of("E1", "E2", "E3", "E4", "E5", "E6", "E7", "E8", "E9", "E10", "E11", "E12");

    /** The default duration of an experiment. */
    public static int usualSeconds(String name) {
        return switch (name) {
            case "E1" -> 90;
            case "E3" -> 1_800;
            case "E8", "E10" -> 100;
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
        Ground usual = new Ground(name, workers, 4_800 * scale, seconds);
        return switch (name) {
            case "E1" -> degradation(usual);
            case "E2" -> criticality(new Ground(name, workers, 3_450 * scale, seconds), 2_300 * scale);
            case "E3" -> isolation(name, Math.max(8, (int) Math.round(64 * scale)), seconds);
            case "E4" -> calm(new Ground(name, 64, 64 / 5e-3, seconds), 100 * scale);
            case "E5" -> neverDropOnly(usual);
            case "E6" -> spike(usual);
            case "E7" -> slowDependency(usual);
            case "E8" -> pauses(usual);
            case "E9" -> retries(usual);
            case "E10" -> lowRate(new Ground(name, 4, 10, seconds));
            case "E11" -> heavyCaller(usual);
            case "E12" -> tree(usual);
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
                    caller, level, "call", ms(), timeoutMs, 0, 1, second -> share * perSecond.applyAsDouble(second));
        }

        /** Half of the calls are of level 1, 30 % of level 2, 20 % of level 3. */
        List<Stream> mixed(int retries, DoubleUnaryOperator perSecond) {
            return java.util.stream.Stream.of(
                            stream("core", 1, 30_000, 0.5, perSecond),
                            stream("feature", 2, 30_000, 0.3, perSecond),
                            stream("background", 3, 30_000, 0.2, perSecond))
                    .map(each -> each.withRetries(retries))
                    .toList();
        }

        /** Returns an experiment with a service of constant speed that is never stopped. */
        Experiment experiment(int lasts, List<Stream> streams, Window... windows) {
            return new Experiment(name, workers, capacity, streams, List.of(windows), lasts, second -> 1, false);
        }
    }

    /** 125 % of the capacity, half of it critical. */
    private static Experiment degradation(Ground of) {
        int seconds = of.seconds();
        return of.experiment(
                of.end(),
                of.mixed(0, of.load(1.25)),
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
                        new Stream("checkout", 2, "apply", of.ms(), 1_000, 0, 1, second -> 10),
                        new Stream("shop", 2, "getProvidedCards", of.ms(), 30_000, 0, 1, spikes)),
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
                        .mapToObj(i -> new Stream("caller-" + i, i % 4, "method" + i, of.ms(), 10_000, 0, 1, load))
                        .toList(),
                new Window("whole", 0, of.seconds()));
    }

    /** Only critical calls, 130 % of the capacity, which wait for at most a second. */
    private static Experiment neverDropOnly(Ground of) {
        return of.experiment(
                of.end(),
                List.of(of.stream("core", 1, 1_000, 1, of.load(1.3))),
                new Window("overload", 2, of.seconds()),
                of.after());
    }

    /** A spike to three times the previous load, 180 % of the capacity. */
    private static Experiment spike(Ground of) {
        Window spike = new Window("spike", of.seconds() / 6.0, of.seconds() / 2.0);
        return of.experiment(
                of.seconds(),
                of.mixed(0, second -> of.capacity() * (spike.holds(second) ? 1.8 : 0.6)),
                spike,
                new Window("after", spike.to() + 1, of.seconds()));
    }

    /** The service is four times slower for a third of the time, at 40 % of its usual capacity. */
    private static Experiment slowDependency(Ground of) {
        Window slow = new Window("slow", of.seconds() / 6.0, of.seconds() / 2.0);
        Window after = new Window("after", slow.to() + 2, of.seconds());
        return of.experiment(of.seconds(), of.mixed(0, second -> 0.4 * of.capacity()), slow, after)
                .withSlowdown(second -> slow.holds(second) ? 4 : 1);
    }

    /** The process is stopped now and then, at 58 % of the capacity: no overload. */
    private static Experiment pauses(Ground of) {
        Window pauses = new Window("pauses", 0, of.seconds());
        return of.experiment(of.seconds(), of.mixed(0, second -> 0.58 * of.capacity()), pauses)
                .withPauses();
    }

    /** Callers that retry up to three times if the answer does not forbid it, at 125 % of the capacity. */
    private static Experiment retries(Ground of) {
        return of.experiment(of.end(), of.mixed(3, of.load(1.25)), new Window("overload", 0, of.seconds()), of.after());
    }

    /** A low rate: half of the capacity, then 150 % of it, then half again. */
    private static Experiment lowRate(Ground of) {
        Window overload = new Window("overload", of.seconds() / 3.0, of.seconds() / 1.5);
        DoubleUnaryOperator load = second -> overload.holds(second) ? 15 : 5;
        return of.experiment(
                of.seconds(),
                List.of(of.stream("core", 1, 10_000, 1 / 3.0, load), of.stream("background", 3, 10_000, 2 / 3.0, load)),
                overload,
                new Window("calm", 0, overload.from()),
                new Window("after", overload.to() + 3, of.seconds()));
    }

    /** One caller of five has 80 % of the calls of one level, together 130 % of the capacity. */
    private static Experiment heavyCaller(Ground of) {
        List<Stream> streams = new ArrayList<>();
        streams.add(of.stream("heavy", 2, 30_000, 0.8, of.load(1.3)));
        for (int i = 0; i < 4; i++) {
            streams.add(of.stream("light-" + i, 2, 30_000, 0.05, of.load(1.3)));
        }
        return of.experiment(of.end(), streams, new Window("overload", of.seconds() / 3.0, of.seconds()));
    }

    /** Tasks of two calls: if one call is refused, the work of the other is wasted, so both should be admitted or refused. */
    private static Experiment tree(Ground of) {
        DoubleUnaryOperator tasks = second -> of.capacity() / 2 * (of.counts(second) ? 1.4 : 0.5);
        return of.experiment(
                of.end(),
                List.of(new Stream("front", 2, "call", of.ms(), 5_000, 0, 2, tasks)),
                new Window("overload", 2, of.seconds()),
                of.after());
    }

    private Experiment withSlowdown(DoubleUnaryOperator times) {
        return new Experiment(name, workers, capacityPerSecond, streams, windows, seconds, times, pauses);
    }

    private Experiment withPauses() {
        return new Experiment(name, workers, capacityPerSecond, streams, windows, seconds, slowdown, true);
    }

    /** The window that counts. */
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
