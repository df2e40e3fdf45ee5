package io.thalweg.bench.qalm;

import io.thalweg.bench.harness.ProcessorTime;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * The CPU time of services, each in its turns of {@link TurnSchedule}, from the end of the warm-up to the end of the window that
 * counts.
 *
 * <p><b>Threads.</b> Safe.
 */
final class TurnMeter {
    private final List<Service> services;
    private final TurnSchedule turns;
    private final double seconds;
    private final int counted;
    private final ProcessorTime[] used;
    private final long[] calls;
    private List<ProcessorTime> before;
    private volatile int next = Integer.MIN_VALUE;

    TurnMeter(List<Service> services, Experiment experiment, double turnSeconds) {
        this.services = services;
        turns = new TurnSchedule(services.size(), turnSeconds);
        seconds = experiment.counted().to();
        counted = (int) Math.round(seconds / turnSeconds);
        used = new ProcessorTime[services.size()];
        Arrays.fill(used, ProcessorTime.NONE);
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

    /** Records the end of a turn; must be called as it ends. */
    synchronized void ended(LoadProcess.Turn turn) {
        List<ProcessorTime> now = now();
        next = turn.number() + 1;
        if (turn.number() >= 0 && turn.number() < counted) {
            int system = turns.ofTurn(turn.number());
            used[system] = used[system].plus(now.get(system).minus(before.get(system)));
            calls[system] += turn.calls();
        }
        before = now;
    }

    /** Whether the warm-up is over. */
    boolean begun() {
        return next >= 0;
    }

    /** The cores that all services used together. */
    synchronized double cores() {
        return Stream.of(used).mapToLong(ProcessorTime::used).sum() / 1e9 / seconds;
    }

    /** The CPU time per call without the JIT compilers. */
    synchronized double microsPerCall(int system) {
        return (used[system].used() - used[system].compilers()) / 1e3 / Math.max(1, calls[system]);
    }

    /** The CPU time per call of the JIT compilers. */
    synchronized double compilerMicrosPerCall(int system) {
        return used[system].compilers() / 1e3 / Math.max(1, calls[system]);
    }

    /**
     * Determines which of several systems gets the load: back and forth, {@code 0 1 1 0 0 1 …}, so that drift does not favour any
     * system.
     *
     * @param systems the number of systems
     * @param seconds the duration of a turn
     */
    record TurnSchedule(int systems, double seconds) {
        /** Returns the turn at a time; negative in the warm-up. */
        int at(double second) {
            return (int) Math.floor(second / seconds);
        }

        int system(double second) {
            return ofTurn(at(second));
        }

        int ofTurn(int turn) {
            int place = Math.floorMod(turn, 2 * systems);
            return place < systems ? place : 2 * systems - 1 - place;
        }
    }
}
