package io.thalweg.bench.demand;

import java.util.List;
import java.util.Locale;

/**
 * The load of the pipeline.
 *
 * @param name of the load in results
 * @param cities the number of cities
 * @param largestCity cells of the largest one; the {@code n}th has {@code largestCity * n^-0.49}
 * @param eventsPerSecond of event time, including repeats and other kinds of events
 * @param distinctPerSecond riders that count once per cell, product and minute; at least a fifth fewer than events
 * @param warmUpMinutes event time before measuring
 * @param warmUpSpeed event time per wall time meanwhile, at most
 * @param minutes event time measured
 * @param speed event time per wall time while measuring
 */
public record Load(
        String name,
        int cities,
        int largestCity,
        int eventsPerSecond,
        int distinctPerSecond,
        int warmUpMinutes,
        double warmUpSpeed,
        int minutes,
        double speed) {
    static final long MINUTE_MS = 60_000;
    /** The least and the most minutes of event time of a soak: ten window ends, and a year. */
    private static final double FEWEST_SOAKED = 10;

    private static final double MOST_SOAKED = 366 * 24 * 60;
    /** The least time that a load is measured for if its speed is given. */
    private static final int OFFERED_SECONDS = 60;

    private static final int OFFERED_ENDS = 8;
    /** Events arrive in ticks, each with its own random numbers. */
    static final long TICK_MS = 100;
    /** The longest delay of an event's arrival. */
    static final int MAX_DELAY_MS = 4_000;

    public static Load of(String scale) {
        return switch (scale.toLowerCase(Locale.ROOT)) {
            case "small" ->
                of("small", 6, 6_000).sending(300, 20).warmingUp(33, 200).measured(3, 20);
            case "twentieth" ->
                of("twentieth", 64, 20_000)
                        .sending(6_000, 400)
                        .warmingUp(33, 32)
                        .measured(4, 1);
            case "medium" ->
                of("medium", 120, 25_000).sending(12_000, 800).warmingUp(33, 16).measured(4, 1);
            case "full" ->
                of("full", 1_500, 76_000)
                        .sending(120_000, 8_000)
                        .warmingUp(33, 4)
                        .measured(10, 1);
            default ->
                throw new IllegalArgumentException(
                        "--scale must be small, twentieth, medium or full, was '" + scale + "'");
        };
    }

    /** The rivals' fixed load: 250,000 rows a minute. */
    public static Load rivals() {
        return of("rivals", 64, 20_000).sending(6_000, 400).measured(10, 1);
    }

    private static Load of(String name, int cities, int largestCity) {
        return new Load(name, cities, largestCity, 0, 0, 0, 1, 0, 1);
    }

    private Load sending(int events, int distinct) {
        return new Load(name, cities, largestCity, events, distinct, warmUpMinutes, warmUpSpeed, minutes, speed);
    }

    private Load warmingUp(int forMinutes, double atSpeed) {
        return new Load(
                name, cities, largestCity, eventsPerSecond, distinctPerSecond, forMinutes, atSpeed, minutes, speed);
    }

    private Load measured(int forMinutes, double atSpeed) {
        return new Load(
                name,
                cities,
                largestCity,
                eventsPerSecond,
                distinctPerSecond,
                warmUpMinutes,
                warmUpSpeed,
                forMinutes,
                atSpeed);
    }

    /** Returns a copy with another number of minutes. */
    public Load withMinutes(int newMinutes) {
        return measured(newMinutes, speed);
    }

    /** Returns a load of the same places and events without a warm-up, under another name. */
    Load alone(String newName, int newMinutes) {
        return of(newName, cities, largestCity)
                .sending(eventsPerSecond, distinctPerSecond)
                .measured(newMinutes, speed);
    }

    /**
     * Returns a copy that is offered at a multiple of its rate for at least {@link #OFFERED_SECONDS} and {@link #OFFERED_ENDS}
     * window ends.
     *
     * @throws IllegalArgumentException if the speed is not between 0.1 and 1,000
     */
    Load withSpeed(String text) {
        double newSpeed;
        try {
            newSpeed = Double.parseDouble(text);
        } catch (NumberFormatException e) {
            newSpeed = Double.NaN;
        }
        if (!(newSpeed >= 0.1 && newSpeed <= 1_000)) {
            throw new IllegalArgumentException("speed must be a number from 0.1 to 1000, was '" + text + "'");
        }
        return measured((int) Math.ceil(Math.max(OFFERED_ENDS, OFFERED_SECONDS * newSpeed / 60)), newSpeed);
    }

    /**
     * Returns a copy that lasts for a number of hours of wall time.
     *
     * @throws IllegalArgumentException if too few windows would end meanwhile to detect a drift, or it is too long
     */
    public Load withHours(double hours) {
        long newMinutes = Math.round(hours * 60 * speed);
        if (!(newMinutes >= FEWEST_SOAKED && newMinutes <= MOST_SOAKED)) {
            throw new IllegalArgumentException("--hours at scale %s must lie between %.4f and %.0f, was %s"
                    .formatted(name, FEWEST_SOAKED / 60 / speed, MOST_SOAKED / 60 / speed, hours));
        }
        return withMinutes((int) newMinutes);
    }

    /**
     * The event time between the warm-up and the measurement. It ends in the middle of a minute, so that no window ends when the
     * measurement begins or ends. At scales above the smallest, at least one window ends before, because the first one runs code
     * that is not compiled.
     */
    long settleMs() {
        return MINUTE_MS / 2 + (isSmall() ? 0 : MINUTE_MS * (long) Math.ceil(Math.max(1, speed / 4 - 0.5)));
    }

    /** The JVM options of {@code thalweg run} at this scale for a number of views, in addition to the launcher's. */
    List<String> javaOptions(int views) {
        int gigabytes = (isSmall() ? 1 : cities <= 200 ? 2 : 6) + views / 5;
        String heap = "-Xmx%dg".formatted(gigabytes);
        return yields() ? List.of(heap) : List.of(heap, "-XX:JavaPriority1_To_OSPriority=0");
    }

    /** The time between two checkpoints, short enough that several are within the measured time. */
    int checkpointSeconds() {
        return isSmall() ? 2 : 10;
    }

    /**
     * Whether the generator takes only CPU time that the pipeline leaves, and the pipeline's job only CPU time that its reads
     * leave. A fast, short run must also pass on a busy machine, where such threads may not run for minutes.
     */
    boolean yields() {
        return !isSmall();
    }

    private boolean isSmall() {
        return cities <= 10;
    }

    /** The default parallelism of {@code thalweg run}: at full size the rows of a minute need two threads. */
    public int parallelism() {
        return cities <= 200 ? 1 : 2;
    }

    /** The number of riders who are active in a minute. */
    int ridersPerMinute() {
        return 60 * distinctPerSecond;
    }
}
