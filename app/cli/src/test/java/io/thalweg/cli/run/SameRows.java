package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Compares rows as sets, with a readable message. */
final class SameRows {
    private SameRows() {}

    static void assertSame(String what, Collection<String> actual, Set<String> expected, long seed) {
        Set<String> missing = new HashSet<>(expected);
        actual.forEach(missing::remove);
        Set<String> strange = new HashSet<>(actual);
        expected.forEach(strange::remove);
        assertThat(List.of(missing.size(), strange.size()))
                .as(
                        "%s, seed %d: of %d missing, strange; such as %s and %s",
                        what,
                        seed,
                        expected.size(),
                        missing.stream().sorted().limit(3).toList(),
                        strange.stream().sorted().limit(3).toList())
                .containsExactly(0, 0);
    }
}
