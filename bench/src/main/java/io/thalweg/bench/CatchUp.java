package io.thalweg.bench;

import io.thalweg.bench.suite.Scenario;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Measures whatever is not current until everything is, or the time is over.
 *
 * <p><b>Order.</b> The shortest run is always next, so that a night completes as many results as possible; ties are in the order
 * of the page. A run is one round, or all rounds of a contest, which cannot be added one by one. If the shortest run does not fit
 * into the remaining time, no other one does, and the rest waits for another night.
 *
 * <p><b>Failures.</b> A scenario that fails, or whose run leaves it as it was, is not tried again; the others go on.
 */
final class CatchUp {
    private final List<Scenario> scenarios;
    private final States states;
    private final Runs runs;
    private final InstantSource clock;
    private final Supplier<String> stop;
    private final Consumer<String> log;
    private final Map<Scenario, String> failures = new LinkedHashMap<>();

    /** Checks a result. */
    interface States {
        Freshness of(Scenario scenario) throws IOException;
    }

    /** Measures rounds. */
    interface Runs {
        /** Returns the exit code; 0 if the rounds are in the kept result. */
        int measure(Scenario scenario, int rounds, boolean add) throws IOException, InterruptedException;
    }

    private record Step(Scenario scenario, Freshness state) {
        String text() {
            return "%s: %s, so %d round%s %s measured, in some %s"
                    .formatted(
                            scenario.name(),
                            state.text(),
                            state.rounds(),
                            state.rounds() == 1 ? "" : "s",
                            state.rounds() == 1 ? "is" : "are",
                            minutes(state.expected()));
        }
    }

    /**
     * Creates a run over scenarios.
     *
     * @param stop returns why to stop before the next run; empty to go on
     */
    CatchUp(
            List<Scenario> scenarios,
            States states,
            Runs runs,
            InstantSource clock,
            Supplier<String> stop,
            Consumer<String> log) {
        this.scenarios = scenarios;
        this.states = states;
        this.runs = runs;
        this.clock = clock;
        this.stop = stop;
        this.log = log;
    }

    private static String minutes(Duration duration) {
        long minutes = Math.max(1, duration.plusSeconds(59).toMinutes());
        return minutes + (minutes == 1 ? " minute" : " minutes");
    }

    /** Measures within a limit. Returns 0 if nothing failed, else 1; what is left for another night is not a failure. */
    int run(Duration limit) throws IOException, InterruptedException {
        Instant end = clock.instant().plus(limit);
        List<Step> left = steps();
        String reason = stop.get();
        while (!left.isEmpty() && reason.isEmpty()) {
            Step next = left.get(0);
            if (clock.instant().plus(next.state().expected()).isAfter(end)) {
                reason = "the next run does not fit into the time that is left, "
                        + minutes(Duration.between(clock.instant(), end));
                break;
            }
            log.accept(next.text());
            int code = runs.measure(
                    next.scenario(), next.state().rounds(), next.state().add());
            reason = stop.get();
            if (code != 0 && reason.isEmpty()) {
                fail(next, "exit code " + code);
            } else if (code == 0
                    && states.of(next.scenario()).text().equals(next.state().text())) {
                fail(
                        next,
                        "after the run the result is as it was: " + next.state().text());
            }
            left = steps();
        }
        report(reason, left);
        return failures.isEmpty() ? 0 : 1;
    }

    /** Returns the next run of each scenario that is not current and has not failed, the shortest first. */
    private List<Step> steps() throws IOException {
        List<Step> steps = new ArrayList<>();
        for (Scenario scenario : scenarios) {
            Freshness state = states.of(scenario);
            if (!state.isCurrent() && !failures.containsKey(scenario)) {
                steps.add(new Step(scenario, state));
            }
        }
        steps.sort(Comparator.comparing(step -> step.state().expected()));
        return steps;
    }

    private void fail(Step step, String why) {
        failures.put(step.scenario(), why);
        log.accept("%s FAILED: %s".formatted(step.scenario().name(), why));
    }

    private void report(String reason, List<Step> left) {
        if (!reason.isEmpty()) {
            log.accept("stopped: " + reason);
        }
        failures.forEach((scenario, why) -> log.accept("failed: %s: %s".formatted(scenario.name(), why)));
        left.forEach(step -> log.accept("left: " + step.text()));
        if (failures.isEmpty() && left.isEmpty()) {
            log.accept("every result is current");
        }
    }
}
