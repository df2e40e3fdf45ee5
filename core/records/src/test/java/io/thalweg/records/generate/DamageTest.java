package io.thalweg.records.generate;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.records.generate.Corruption.Kind;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DamageTest {
    private final Damage damage = new Damage();

    @Test
    void make_truncate_leavesAnyLengthButNoneAndAll() {
        Set<Integer> lengths = new HashSet<>();
        for (int seed = 0; seed < 200; seed++) {
            damage.make(Kind.TRUNCATE, new byte[] {9, 1, 2, 3, 9}, 1, 4, seed);
            lengths.add(damage.length());
            assertThat(Arrays.copyOf(damage.data(), damage.length()))
                    .isEqualTo(Arrays.copyOf(new byte[] {1, 2}, damage.length()));
        }
        assertThat(lengths).containsExactlyInAnyOrder(1, 2);
    }

    @ParameterizedTest
    @EnumSource
    void make_messageOfOneByte_isReplaced(Kind kind) {
        damage.make(kind, new byte[] {0}, 0, 1, 5);
        assertThat(damage.length()).isGreaterThan(1);
        assertThat(damage.data()[0]).isEqualTo((byte) '{');
    }
}
