package io.thalweg.jobs.compute;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests {@link RepeatFilter} against an exact set. */
class RepeatFilterTest {
    private static final int REPEATS = 0;
    private static final int PASSED = 1;
    private static final int INVENTED = 2;

    private record Sent(int lot, int slot, long pane, long idHi, long idLo) {}

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void isRepeat_ofAPanesIdentities_letsFewPassAndInventsNone(long seed) {
        // Far more than its initial capacity: it grows, and loses little meanwhile.
        Random random = new Random(seed);
        RepeatFilter filter = new RepeatFilter();
        int[] counts = new int[3];
        for (long pane = 0; pane < 3; pane++) {
            counts = run(filter, random, pane, 120_000, 600_000);
        }

        assertThat(counts[INVENTED]).isZero();
        assertThat(counts[PASSED]).isLessThan(counts[REPEATS] / 20);
    }

    @ParameterizedTest
    @ValueSource(longs = {3})
    void isRepeat_ofMoreIdentitiesThanPlaces_inventsNone(long seed) {
        int[] counts = run(new RepeatFilter(), new Random(seed), -1, 1_500_000, 2_000_000);

        assertThat(counts[INVENTED]).isZero();
        assertThat(counts[REPEATS]).isPositive();
    }

    @ParameterizedTest
    @ValueSource(longs = {4})
    void clear_forgetsAll(long seed) {
        RepeatFilter filter = new RepeatFilter();
        Sent sent = any(new Random(seed), 0, 10);
        assertThat(isRepeat(filter, sent)).isFalse();
        assertThat(isRepeat(filter, sent)).isTrue();

        filter.clear();

        assertThat(isRepeat(filter, sent)).isFalse();
    }

    private static int[] run(RepeatFilter filter, Random random, long pane, int ids, int events) {
        Set<Sent> all = new HashSet<>();
        int[] counts = new int[3];
        for (int i = 0; i < events; i++) {
            Sent sent = any(random, pane, ids);
            boolean isNew = all.add(sent);
            boolean saysRepeat = isRepeat(filter, sent);
            counts[REPEATS] += isNew ? 0 : 1;
            counts[PASSED] += !isNew && !saysRepeat ? 1 : 0;
            counts[INVENTED] += isNew && saysRepeat ? 1 : 0;
        }
        return counts;
    }

    /** Returns an identity of small numbers, including zero and negative ones: an empty place must not equal any identity. */
    private static Sent any(Random random, long pane, int ids) {
        int id = random.nextInt(ids);
        return new Sent(id % 3, id % 7, pane, id, 0);
    }

    private static boolean isRepeat(RepeatFilter filter, Sent sent) {
        return filter.isRepeat(sent.lot, sent.slot, sent.pane, sent.idHi, sent.idLo);
    }
}
