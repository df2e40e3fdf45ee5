package io.thalweg.jobs.compute;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against a set that forgets nothing. */
class RepeatFilterTest {
    private record Sent(int lot, int slot, long pane, long idHi, long idLo) {}

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void isRepeat_ofFewIdentities_missesNoneAndInventsNone(long seed) {
        // Some 2,500 identities in 65,536 places: some meet, so some repeats pass; none may be invented.
        Result result = run(seed, 50, 50, 200_000);

        assertThat(result.invented).isZero();
        assertThat(result.passed).isLessThan(result.repeats / 10);
    }

    @ParameterizedTest
    @ValueSource(longs = {4, 5})
    void isRepeat_ofMoreIdentitiesThanPlaces_inventsNone(long seed) {
        Result result = run(seed, 1_000, 1_000, 300_000);

        assertThat(result.invented).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {6})
    void clear_forgetsAll(long seed) {
        RepeatFilter filter = new RepeatFilter();
        Sent sent = any(new Random(seed), 10, 10);
        assertThat(isRepeat(filter, sent)).isFalse();
        assertThat(isRepeat(filter, sent)).isTrue();

        filter.clear();

        assertThat(isRepeat(filter, sent)).isFalse();
    }

    private record Result(long repeats, long passed, long invented) {}

    private static Result run(long seed, int cells, int ids, int events) {
        Random random = new Random(seed);
        RepeatFilter filter = new RepeatFilter();
        Set<Sent> all = new HashSet<>();
        long repeats = 0;
        long passed = 0;
        long invented = 0;
        for (int i = 0; i < events; i++) {
            Sent sent = any(random, cells, ids);
            boolean isNew = all.add(sent);
            boolean saysRepeat = isRepeat(filter, sent);
            repeats += isNew ? 0 : 1;
            passed += !isNew && !saysRepeat ? 1 : 0;
            invented += isNew && saysRepeat ? 1 : 0;
        }
        return new Result(repeats, passed, invented);
    }

    /** Small numbers, zeros and negative ones among them: what is empty must equal none. */
    private static Sent any(Random random, int cells, int ids) {
        int cell = random.nextInt(cells);
        return new Sent(cell % 3, cell, -1 + random.nextInt(2), random.nextInt(ids), 0);
    }

    private static boolean isRepeat(RepeatFilter filter, Sent sent) {
        return filter.isRepeat(sent.lot, sent.slot, sent.pane, sent.idHi, sent.idLo);
    }
}
