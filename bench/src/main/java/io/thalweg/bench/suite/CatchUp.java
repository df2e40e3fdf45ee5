package io.thalweg.bench.suite;

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
 *
 * @param stop returns why to stop before the next run; empty to go on
 */
record CatchUp(
        List<Scenario> scenarios,
        States states,
        Runs runs,
        InstantSource clock,
        Supplier<String> stop,
        Consumer<String> log) {
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

    private static String minutes(Duration duration) {
        long minutes = Math.max(1, duration.plusSeconds(59).toMinutes());
        return minutes + (minutes == 1 ? " minute" : " minutes");
    }

    /** Measures within a limit. Returns 0 if nothing failed, else 1; what is left for another night is not a failure. */
    int run(Duration limit) throws IOException, InterruptedException {
        Instant end = clock.instant().plus(limit);
        Map<Scenario, String> failures = new LinkedHashMap<>();
        List<Step> left = steps(failures);
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
            String failure = failure(next, code, !reason.isEmpty());
            if (!failure.isEmpty()) {
                failures.put(next.scenario(), failure);
                log.accept("%s FAILED: %s".formatted(next.scenario().name(), failure));
            }
            left = steps(failures);
        }
        report(reason, failures, left);
        return failures.isEmpty() ? 0 : 1;
    }

    /** Returns the next run of each scenario that is not current and has not failed, the shortest first. */
    private List<Step> steps(Map<Scenario, String> failures) throws IOException {
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

    /** Returns why a run counts as failed; empty if it does not. */
    private String failure(Step step, int code, boolean stopped) throws IOException {
        if (code != 0) {
            return stopped ? "" : "exit code " + code;
        }
        String before = step.state().text();
        return states.of(step.scenario()).text().equals(before)
                ? "after the run the result is as it was: " + before
                : "";
    }

    private void report(String reason, Map<Scenario, String> failures, List<Step> left) {
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
