package io.thalweg.bench.qalm;

import java.util.List;
import java.util.Locale;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;

/**
 * A load and the service that it is put on. Both processes create it from its name and size, so that they mean the same.
 *
 * <p><b>Units.</b> Rates are calls per second, times count from the end of the warm-up, which has times below zero.
 *
 * @param name {@code E1} …
 * @param question what it asks
 * @param published what the publication says, as it says it; empty if nothing
 * @param workers threads of the service, each of which does one call at a time
 * @param capacityPerSecond what they can do: {@code workers ÷ mean service time}
 * @param streams the callers
 * @param windows the times that are reported; the first is the one that counts
 * @param seconds how long it lasts after the warm-up
 * @param slowdown by how much the service is slower than usual at a time
 * @param pauses whether the server's process is stopped for 200 ms every 5 s
 */
public record Experiment(
        String name,
        String question,
        String published,
        int workers,
        double capacityPerSecond,
        List<Stream> streams,
        List<Window> windows,
        int seconds,
        DoubleUnaryOperator slowdown,
        boolean pauses) {

    /**
     * A caller that calls one method in a Poisson stream, whatever the answers.
     *
     * @param level its criticality, 0 to 3
     * @param serviceMs mean time that a call takes the service; lognormal, σ 0.5
     * @param timeoutMs after which it waits no longer
     * @param retries how often it tries again where the answer does not forbid it
     * @param hops calls of one trace that it makes one after the other: without all of them it has nothing
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
        Stream(
                String caller,
                int level,
                String method,
                double serviceMs,
                int timeoutMs,
                int retries,
                DoubleUnaryOperator perSecond) {
            this(caller, level, method, serviceMs, timeoutMs, retries, 1, perSecond);
        }
    }

    /** A span of time that is reported. */
    public record Window(String name, double from, double to) {
        boolean holds(double second) {
            return second >= from && second < to;
        }
    }

    private static final double FULL_CAPACITY = 4_800;

    /** All that there are. */
    public static final List<String> NAMES =
            List.of("E1", "E2", "E3", "E4", "E5", "E6", "E7", "E8", "E9", "E10", "E11", "E12");

    /** How long an experiment lasts by default. */
    public static int usualSeconds(String name) {
        return switch (name) {
            case "E1" -> 90;
            case "E3" -> 1_800;
            case "E8", "E10" -> 100;
            default -> 60;
        };
    }

    /**
     * The experiment of a name.
     *
     * @param scale 1 for the published rates, 0.1 for a tenth of workers and calls
     * @param seconds how long the part that counts lasts
     */
    public static Experiment of(String name, double scale, int seconds) {
        return switch (name) {
            case "E1" -> degradation(scale, seconds);
            case "E2" -> criticality(scale, seconds);
            case "E3" -> isolation(scale, seconds);
            case "E4" -> calm(scale, seconds);
            case "E5" -> neverDropOnly(scale, seconds);
            case "E6" -> spike(scale, seconds);
            case "E7" -> slowDependency(scale, seconds);
            case "E8" -> pauses(scale, seconds);
            case "E9" -> retries(scale, seconds);
            case "E10" -> lowRate(seconds);
            case "E11" -> heavyCaller(scale, seconds);
            case "E12" -> tree(scale, seconds);
            default ->
                throw new IllegalArgumentException("the experiments are " + String.join(", ", NAMES) + ", was " + name);
        };
    }

    private static double asUsual(double second) {
        return 1;
    }

    /** How long it is watched after the load has gone. */
    private static int after(int seconds) {
        return Math.max(3, seconds / 3);
    }

    /** Half of the calls are of level 1, 30 % of level 2, 20 % of level 3. */
    private static List<Stream> mixed(double capacity, double workers, DoubleUnaryOperator ofCapacity) {
        return mixed(capacity, workers, 0, ofCapacity);
    }

    private static List<Stream> mixed(double capacity, double workers, int retries, DoubleUnaryOperator ofCapacity) {
        double ms = 1e3 * workers / capacity;
        return List.of(
                part("core", 1, ms, retries, 0.5 * capacity, ofCapacity),
                part("feature", 2, ms, retries, 0.3 * capacity, ofCapacity),
                part("background", 3, ms, retries, 0.2 * capacity, ofCapacity));
    }

    private static Stream part(
            String caller, int level, double ms, int retries, double share, DoubleUnaryOperator ofCapacity) {
        return new Stream(
                caller, level, "call", ms, 30_000, retries, second -> share * ofCapacity.applyAsDouble(second));
    }

    /** While the warm-up lasts, half of the capacity; then the given load; then half of the capacity again. */
    private static DoubleUnaryOperator load(double ofCapacity, int seconds) {
        return second -> second >= 0 && second < seconds ? ofCapacity : 0.5;
    }

    private static Experiment degradation(double scale, int seconds) {
        int workers = (int) Math.round(160 * scale);
        double capacity = FULL_CAPACITY * scale;
        return new Experiment(
                "E1",
                String.format(
                        Locale.ROOT,
                        "degradation: %.0f calls a second against %.0f; half of them critical",
                        1.25 * capacity,
                        capacity),
                "6,000 RPS against 4,800: p99 from about 20 s to under 400 ms, about 20 % shed, no critical call lost",
                workers,
                capacity,
                mixed(capacity, workers, load(1.25, seconds)),
                List.of(
                        new Window("overload", 0, seconds),
                        new Window("second_1", 0.5, 1.5),
                        new Window("at_8_9", seconds * 75 / 90.0, seconds * 80 / 90.0),
                        new Window("after", seconds + 1, seconds + after(seconds))),
                seconds + after(seconds),
                Experiment::asUsual,
                false);
    }

    private static Experiment criticality(double scale, int seconds) {
        int workers = (int) Math.round(160 * scale);
        double capacity = 3_450 * scale;
        double ms = 1e3 * workers / capacity;
        double rate = 2_300 * scale;
        DoubleUnaryOperator load = second -> second >= 0 && second < seconds ? rate : 0.375 * rate;
        return new Experiment(
                "E2",
                String.format(
                        Locale.ROOT,
                        "criticality: document and document-staging at %.0f calls a second each against %.0f",
                        rate,
                        capacity),
                "2,300 RPS each against 3,450: every document call succeeds, about half of document-staging is shed",
                workers,
                capacity,
                List.of(
                        new Stream("document", 1, "read", ms, 5_000, 0, load),
                        new Stream("document-staging", 3, "read", ms, 5_000, 0, load)),
                List.of(new Window("overload", 0, seconds), new Window("after", seconds + 1, seconds + after(seconds))),
                seconds + after(seconds),
                Experiment::asUsual,
                false);
    }

    private static Experiment isolation(double scale, int seconds) {
        int workers = Math.max(8, (int) Math.round(64 * scale));
        double part = workers / 64.0;
        // The warm-up is busier than the calm part: at 200 a second, compilers would begin when the spikes do.
        DoubleUnaryOperator spikes = second ->
                part * (second < 0 ? 700 : second < seconds / 6.0 ? 200 : second < seconds / 1.5 ? 1_200 : 1_800);
        return new Experiment(
                "E3",
                String.format(
                        Locale.ROOT,
                        "isolation: apply at 10 calls a second while getProvidedCards goes from %.0f to %.0f and %.0f against %.0f",
                        part * 200,
                        part * 1_200,
                        part * 1_800,
                        part * 1_000),
                "apply at 10 RPS keeps working while getProvidedCards spikes to 1,200 and 1,800 RPS; without, it times out",
                workers,
                part * 1_000,
                List.of(
                        new Stream("checkout", 2, "apply", 64, 1_000, 0, second -> 10),
                        new Stream("shop", 2, "getProvidedCards", 64, 30_000, 0, spikes)),
                List.of(
                        new Window("whole", 0, seconds),
                        new Window("calm", 0, seconds / 6.0),
                        new Window("spikes", seconds / 6.0 + 5, seconds)),
                seconds,
                Experiment::asUsual,
                false);
    }

    private static Experiment calm(double scale, int seconds) {
        double rate = 100 * scale;
        // The warm-up is busier: what is asked for is a service that has run for long, not how soon compilers come
        // round to it.
        DoubleUnaryOperator load = second -> second < 0 ? Math.max(rate, 400) : rate;
        List<Stream> streams = IntStream.range(0, 5)
                .mapToObj(i -> new Stream("caller-" + i, i % 4, "method" + i, 5, 10_000, 0, load))
                .toList();
        return new Experiment(
                "E4",
                String.format(Locale.ROOT, "overhead: five endpoints at %.0f calls a second each", rate),
                "at most 3 % of the processor time",
                64,
                64 / 5e-3,
                streams,
                List.of(new Window("whole", 0, seconds)),
                seconds,
                Experiment::asUsual,
                false);
    }

    private static Experiment neverDropOnly(double scale, int seconds) {
        int workers = (int) Math.round(160 * scale);
        double capacity = FULL_CAPACITY * scale;
        double ms = 1e3 * workers / capacity;
        DoubleUnaryOperator load = second -> capacity * load(1.3, seconds).applyAsDouble(second);
        return new Experiment(
                "E5",
                "never-drop traffic alone at 130 % of the capacity, which waits for a second",
                "",
                workers,
                capacity,
                List.of(new Stream("core", 1, "call", ms, 1_000, 0, load)),
                List.of(new Window("overload", 2, seconds), new Window("after", seconds + 1, seconds + after(seconds))),
                seconds + after(seconds),
                Experiment::asUsual,
                false);
    }

    private static Experiment spike(double scale, int seconds) {
        int workers = (int) Math.round(160 * scale);
        double capacity = FULL_CAPACITY * scale;
        DoubleUnaryOperator load = second -> second >= seconds / 6.0 && second < seconds / 2.0 ? 1.8 : 0.6;
        return new Experiment(
                "E6",
                "a spike to three times the load of before, 180 % of the capacity",
                "",
                workers,
                capacity,
                mixed(capacity, workers, load),
                List.of(
                        new Window("spike", seconds / 6.0, seconds / 2.0),
                        new Window("after", seconds / 2.0 + 1, seconds)),
                seconds,
                Experiment::asUsual,
                false);
    }

    private static Experiment slowDependency(double scale, int seconds) {
        int workers = (int) Math.round(160 * scale);
        double capacity = FULL_CAPACITY * scale;
        return new Experiment(
                "E7",
                "the service is four times slower for a third of the time, at 40 % of what it can do otherwise",
                "",
                workers,
                capacity,
                mixed(capacity, workers, second -> 0.4),
                List.of(
                        new Window("slow", seconds / 6.0, seconds / 2.0),
                        new Window("after", seconds / 2.0 + 2, seconds)),
                seconds,
                second -> second >= seconds / 6.0 && second < seconds / 2.0 ? 4 : 1,
                false);
    }

    private static Experiment pauses(double scale, int seconds) {
        int workers = (int) Math.round(160 * scale);
        double capacity = FULL_CAPACITY * scale;
        return new Experiment(
                "E8",
                "the process is stopped for 200 ms every 5 s, at 58 % of the capacity: no overload",
                "",
                workers,
                capacity,
                mixed(capacity, workers, second -> 0.58),
                List.of(new Window("pauses", 0, seconds)),
                seconds,
                Experiment::asUsual,
                true);
    }

    private static Experiment retries(double scale, int seconds) {
        int workers = (int) Math.round(160 * scale);
        double capacity = FULL_CAPACITY * scale;
        return new Experiment(
                "E9",
                "callers who try three times more where the answer does not forbid it, at 125 % of the capacity",
                "",
                workers,
                capacity,
                mixed(capacity, workers, 3, load(1.25, seconds)),
                List.of(new Window("overload", 0, seconds), new Window("after", seconds + 1, seconds + after(seconds))),
                seconds + after(seconds),
                Experiment::asUsual,
                false);
    }

    private static Experiment lowRate(int seconds) {
        DoubleUnaryOperator load = second -> second >= seconds / 3.0 && second < seconds / 1.5 ? 15 : 5;
        return new Experiment(
                "E10",
                "an endpoint of few calls: 5 a second, then 15 against 10, then 5 again",
                "",
                4,
                10,
                List.of(
                        new Stream("core", 1, "call", 400, 10_000, 0, second -> load.applyAsDouble(second) / 3),
                        new Stream(
                                "background", 3, "call", 400, 10_000, 0, second -> load.applyAsDouble(second) / 1.5)),
                List.of(
                        new Window("overload", seconds / 3.0, seconds / 1.5),
                        new Window("calm", 0, seconds / 3.0),
                        new Window("after", seconds / 1.5 + 3, seconds)),
                seconds,
                Experiment::asUsual,
                false);
    }

    private static Experiment heavyCaller(double scale, int seconds) {
        int workers = (int) Math.round(160 * scale);
        double capacity = FULL_CAPACITY * scale;
        double ms = 1e3 * workers / capacity;
        DoubleUnaryOperator load = second -> capacity * load(1.3, seconds).applyAsDouble(second);
        Stream heavy = new Stream("heavy", 2, "call", ms, 30_000, 0, second -> 0.8 * load.applyAsDouble(second));
        List<Stream> light = IntStream.range(0, 4)
                .mapToObj(i ->
                        new Stream("light-" + i, 2, "call", ms, 30_000, 0, second -> 0.05 * load.applyAsDouble(second)))
                .toList();
        return new Experiment(
                "E11",
                "one caller of five has 80 % of the calls of one level, together 130 % of the capacity",
                "",
                workers,
                capacity,
                java.util.stream.Stream.concat(java.util.stream.Stream.of(heavy), light.stream())
                        .toList(),
                List.of(new Window("overload", seconds / 3.0, seconds)),
                seconds,
                Experiment::asUsual,
                false);
    }

    /** Of a task that needs two calls, one refused costs what the other took: they should share their fate. */
    private static Experiment tree(double scale, int seconds) {
        int workers = (int) Math.round(160 * scale);
        double capacity = FULL_CAPACITY * scale;
        double ms = 1e3 * workers / capacity;
        DoubleUnaryOperator tasks = second -> capacity / 2 * (second >= 0 && second < seconds ? 1.4 : 0.5);
        return new Experiment(
                "E12",
                String.format(
                        Locale.ROOT,
                        "a tree of two hops: %.0f tasks a second that need two calls each against %.0f calls",
                        0.7 * capacity,
                        capacity),
                "",
                workers,
                capacity,
                List.of(new Stream("front", 2, "call", ms, 5_000, 0, 2, tasks)),
                List.of(new Window("overload", 2, seconds), new Window("after", seconds + 1, seconds + after(seconds))),
                seconds + after(seconds),
                Experiment::asUsual,
                false);
    }

    /** The level of a caller; 2 for those that it does not know. */
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
