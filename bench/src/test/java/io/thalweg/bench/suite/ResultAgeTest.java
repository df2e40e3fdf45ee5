package io.thalweg.bench.suite;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.bench.harness.Clone;
import io.thalweg.bench.harness.ResultFile;
import io.thalweg.testing.Checkout;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Checks that the kept results are not much older than the code that they measure; {@code make bench-current} renews them. */
@Tag("soak")
class ResultAgeTest {
    private static final int MOST_COMMITS = 100;

    @Test
    void results_all_areAtMostAHundredCommitsOlderThanTheirCode() throws IOException {
        Clone clone = new Clone(Checkout.ROOT);
        assertThat(clone.isShallow())
                .as("the history of this clone is missing or shallow, so the age of results is unknown;"
                        + " git fetch --unshallow")
                .isFalse();
        List<String> old = new ArrayList<>();
        for (Scenario scenario : Scenarios.all()) {
            Optional<ResultFile> answer = ResultFile.find(scenario.file(clone.results()));
            if (answer.isPresent()) {
                String commit = answer.get().commit();
                OptionalInt since = clone.commitsSince(commit, scenario.sources());
                if (since.isEmpty()) {
                    old.add("%s: its commit %s is not in the history".formatted(scenario.name(), commit));
                } else if (since.getAsInt() > MOST_COMMITS) {
                    old.add("%s: %d commits since %s".formatted(scenario.name(), since.getAsInt(), commit));
                }
            }
        }
        assertThat(old).as("make bench-current measures them again").isEmpty();
    }
}
