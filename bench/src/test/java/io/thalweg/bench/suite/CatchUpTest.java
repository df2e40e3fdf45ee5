package io.thalweg.bench.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A night with runs that only move the clock. */
class CatchUpTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final Map<String, Integer> missing = new HashMap<>();
    private final Map<String, Duration> lengths = new HashMap<>();
    private final Map<String, Integer> codes = new HashMap<>();
    private final List<Scenario> scenarios = new ArrayList<>();
    private final List<String> measured = new ArrayList<>();
    private final List<String> log = new ArrayList<>();
    private Instant now = Instant.EPOCH;
    private String stop = "";

    private void scenario(String name, int missingRounds, Duration round) {
        scenarios.add(new Scenario(name, "", List.of("demand"), List.of(), List.of(), List.of()));
        missing.put(name, missingRounds);
        lengths.put(name, round);
    }

    private Freshness state(Scenario scenario) {
        int rounds = Objects.requireNonNull(missing.get(scenario.name()));
        return rounds == 0
                ? new Freshness("current", 0, false, Duration.ZERO)
                : new Freshness(rounds + " missing", 1, true, Objects.requireNonNull(lengths.get(scenario.name())));
    }

    private int measure(Scenario scenario, int rounds, boolean add) throws IOException {
        measured.add(scenario.name());
        now = now.plus(Objects.requireNonNull(lengths.get(scenario.name())));
        int code = codes.getOrDefault(scenario.name(), 0);
        if (code == 0) {
            missing.merge(scenario.name(), -rounds, Integer::sum);
        }
        return code;
    }

    private int run(Duration limit) throws Exception {
        return new CatchUp(scenarios, this::state, this::measure, () -> now, () -> stop, log::add).run(limit);
    }

    @Test
    void run_enoughTime_measuresAllRoundsTheShortestFirst() throws Exception {
        scenario("long", 1, MINUTE.multipliedBy(30));
        scenario("current", 0, MINUTE);
        scenario("short", 2, MINUTE);

        assertThat(run(Duration.ofHours(1))).isZero();

        assertThat(measured).containsExactly("short", "short", "long");
        assertThat(log).last().isEqualTo("every result is current");
    }

    @Test
    void run_roundDoesNotFit_isNotStartedButListed() throws Exception {
        scenario("long", 3, MINUTE.multipliedBy(30));
        scenario("short", 1, MINUTE);

        assertThat(run(MINUTE.multipliedBy(65)))
                .as("the time limit is not a failure")
                .isZero();

        assertThat(measured).containsExactly("short", "long", "long");
        assertThat(log)
                .contains("stopped: the next run does not fit into the time that is left, 4 minutes")
                .last()
                .isEqualTo("left: long: 1 missing, so 1 round is measured, in some 30 minutes");
    }

    @Test
    void run_oneFails_measuresTheOthersAndReportsItAtTheEnd() throws Exception {
        scenario("broken", 2, MINUTE);
        scenario("sound", 1, MINUTE.multipliedBy(2));
        codes.put("broken", 1);

        assertThat(run(Duration.ofHours(1))).isEqualTo(1);

        assertThat(measured).containsExactly("broken", "sound");
        assertThat(log).last().isEqualTo("failed: broken: exit code 1");
    }

    @Test
    void run_resultStaysAsItWas_isAFailureInsteadOfAnEndlessLoop() throws Exception {
        scenario("stuck", 1, MINUTE);
        CatchUp night = new CatchUp(
                scenarios,
                this::state,
                (scenario, rounds, add) -> {
                    measured.add(scenario.name());
                    return 0;
                },
                () -> now,
                () -> stop,
                log::add);

        assertThat(night.run(Duration.ofHours(1))).isEqualTo(1);

        assertThat(measured).containsExactly("stuck");
        assertThat(log).last().asString().contains("after the run the result is as it was");
    }

    @Test
    void run_interrupted_endsAfterTheRunWithoutAFailure() throws Exception {
        scenario("first", 1, MINUTE);
        scenario("second", 1, MINUTE.multipliedBy(2));
        codes.put("first", 130);
        CatchUp night = new CatchUp(
                scenarios,
                this::state,
                (scenario, rounds, add) -> {
                    stop = "interrupted";
                    return measure(scenario, rounds, add);
                },
                () -> now,
                () -> stop,
                log::add);

        assertThat(night.run(Duration.ofHours(1))).isZero();

        assertThat(measured).containsExactly("first");
        assertThat(log)
                .contains("stopped: interrupted")
                .filteredOn(line -> line.startsWith("left: "))
                .hasSize(2);
    }
}
