package io.thalweg.bench.qalm;

import io.thalweg.bench.harness.ProcessorTime;
import java.util.List;

/**
 * Processor time of services, each in its turns of {@link TurnSchedule}, from the end of the warm-up to the end of the window that counts.
 *
 * <p><b>Threads.</b> Safe.
 */
final class TurnMeter {
    private final List<Service> services;
    private final TurnSchedule turns;
    private final double seconds;
    private final int counted;
    private final long[] usedNanos;
    private final long[] compilersNanos;
    private final long[] calls;
    private List<ProcessorTime> before;
    private volatile int next = Integer.MIN_VALUE;

    TurnMeter(List<Service> services, Experiment experiment, double turnSeconds) {
        this.services = services;
        turns = new TurnSchedule(services.size(), turnSeconds);
        seconds = experiment.counted().to();
        counted = (int) Math.round(seconds / turnSeconds);
        usedNanos = new long[services.size()];
        compilersNanos = new long[services.size()];
        calls = new long[services.size()];
        before = now();
    }

    TurnSchedule turns() {
        return turns;
    }

    private List<ProcessorTime> now() {
        return services.stream()
                .map(service -> ProcessorTime.of(service.process().pid()))
                .toList();
    }

    /** To be called as a turn ends. */
    synchronized void ended(LoadProcess.Turn turn) {
        List<ProcessorTime> now = now();
        next = turn.number() + 1;
        if (turn.number() >= 0 && turn.number() < counted) {
            int system = turns.ofTurn(turn.number());
            ProcessorTime took = now.get(system).minus(before.get(system));
            usedNanos[system] += took.used();
            compilersNanos[system] += took.compilers();
            calls[system] += turn.calls();
        }
        before = now;
    }

    /** Whether the warm-up is over. */
    boolean begun() {
        return next >= 0;
    }

    /** Whether the window that counts is over. */
    boolean over() {
        return next >= counted;
    }

    /** What all of them used together. */
    synchronized double cores() {
        long all = 0;
        for (long used : usedNanos) {
            all += used;
        }
        return all / 1e9 / seconds;
    }

    /** Without the JIT compilers. */
    synchronized double microsPerCall(int system) {
        return (usedNanos[system] - compilersNanos[system]) / 1e3 / Math.max(1, calls[system]);
    }

    /** What the compilers took beside it. */
    synchronized double compilerMicrosPerCall(int system) {
        return compilersNanos[system] / 1e3 / Math.max(1, calls[system]);
    }
}
