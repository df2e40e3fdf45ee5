package io.thalweg.bench.suite;

import io.thalweg.bench.harness.Clone;
import io.thalweg.bench.harness.ResultFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Whether the kept result of a scenario is current, and what to measure next if it is not.
 *
 * @param text for people
 * @param rounds to measure in one run; 0 if the result is current
 * @param add whether they are added to the kept result, which is replaced otherwise
 * @param expected how long they take: as long as the rounds of the kept result, else as long as {@link Scenario} assumes
 */
record Freshness(String text, int rounds, boolean add, Duration expected) {
    /** Checks the result in a folder against the code of a clone. */
    static Freshness of(Scenario scenario, Path results, Clone clone) throws IOException {
        Optional<ResultFile> found = ResultFile.find(scenario.file(results));
        if (found.isEmpty()) {
            return new Freshness(
                    "not measured",
                    scenario.rounds(),
                    false,
                    scenario.assumedRound().multipliedBy(scenario.rounds()));
        }
        ResultFile answer = found.get();
        Duration round = answer.roundDuration().orElse(scenario.assumedRound());
        // The rounds of a contest are not added, so all of them are measured in one run.
        int first = answer.hasRatios() ? scenario.rounds() : 1;
        OptionalInt since = clone.commitsSince(answer.commit(), scenario.sources());
        if (!scenario.isMeasuredBy(answer.command())) {
            return stale("measured by another command", first, round);
        }
        if (since.isEmpty()) {
            return stale("of an unknown commit", first, round);
        }
        if (since.getAsInt() > 0) {
            return stale(since.getAsInt() + " commits behind", first, round);
        }
        int missing = scenario.rounds() - answer.rounds();
        if (missing <= 0) {
            return new Freshness("current", 0, false, Duration.ZERO);
        }
        String text = "%d of %d rounds".formatted(answer.rounds(), scenario.rounds());
        return answer.refusal().isEmpty()
                ? new Freshness("incomplete: " + text, 1, true, round)
                : stale(text, scenario.rounds(), round);
    }

    private static Freshness stale(String why, int rounds, Duration round) {
        return new Freshness("stale: " + why, rounds, false, round.multipliedBy(rounds));
    }

    boolean isCurrent() {
        return rounds == 0;
    }
}
