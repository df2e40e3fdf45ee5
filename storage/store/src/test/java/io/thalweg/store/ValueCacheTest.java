package io.thalweg.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ValueCacheTest {
    private static final int MIB = 1 << 20;

    private static byte[] key(long number) {
        return ("view\0" + number).getBytes(StandardCharsets.UTF_8);
    }

    /** Returns bytes that identify the key and version of a value. */
    private static byte[] value(long number, int version, int length) {
        byte[] value = new byte[Math.max(length, Long.BYTES + Integer.BYTES)];
        Arrays.fill(value, (byte) (number + version));
        ByteBuffer.wrap(value).putLong(number).putInt(version);
        return value;
    }

    /** Compares with a map that never evicts: a cached value must be the one that was put last. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void anyOrderOfCalls_hasTheLastValueOrNone(int seed) {
        Random random = new Random(seed);
        ValueCache cache = new ValueCache(4 * MIB);
        Map<Long, byte[]> all = new HashMap<>();
        int found = 0;
        for (int step = 0; step < 300_000; step++) {
            long number = random.nextInt(random.nextInt(10_000) + 1);
            byte[] key = key(number);
            switch (random.nextInt(20)) {
                case 0 -> {
                    cache.remove(key);
                    all.remove(number);
                }
                case 1, 2, 3, 4, 5 -> {
                    byte[] value = value(number, step, random.nextInt(random.nextInt(100) == 0 ? 70_000 : 2_000));
                    cache.put(key, value);
                    all.put(number, value);
                }
                case 6 -> {
                    long version = cache.version(key);
                    if (random.nextBoolean()) {
                        byte[] value = value(number, step, 100);
                        cache.put(key, value);
                        all.put(number, value);
                    }
                    byte[] last = all.get(number);
                    if (last != null) {
                        cache.putUnlessChanged(key, last, version);
                    }
                }
                default -> {
                    byte[] value = cache.get(key);
                    if (value != null) {
                        found++;
                        if (!Arrays.equals(value, all.get(number))) { // cheaper than an assertion for each
                            assertThat(value).isEqualTo(all.get(number));
                        }
                    }
                }
            }
        }
        assertThat(found).isGreaterThan(20_000);
    }

    /** Fills the cache with entries from keyed rows of some bytes to bundles. */
    @ParameterizedTest
    @ValueSource(ints = {60, 200, 1_500, 6_000})
    void lessThanFits_isAllThere(int length) {
        ValueCache cache = new ValueCache(16 * MIB);
        int keys = 10 * MIB / (length + 30);

        IntStream.range(0, keys).forEach(i -> cache.put(key(i), value(i, 0, length)));

        long there = IntStream.range(0, keys)
                .filter(i -> Arrays.equals(cache.get(key(i)), value(i, 0, length)))
                .count();
        assertThat(there).isGreaterThan((long) (0.99 * keys));
    }

    @Test
    void moreThanFits_dropsWhatWasPutFirst() {
        ValueCache cache = new ValueCache(4 * MIB);
        int keys = 16_000;

        IntStream.range(0, keys).forEach(i -> cache.put(key(i), value(i, 0, 1_000)));

        long old = IntStream.range(0, keys / 2)
                .filter(i -> cache.get(key(i)) != null)
                .count();
        long recent = IntStream.range(keys - 2_000, keys)
                .filter(i -> cache.get(key(i)) != null)
                .count();
        assertThat(old).isZero();
        assertThat(recent).isGreaterThan(1_900);
    }

    @Test
    void putUnlessChanged_afterAPutOrARemoval_isIgnored() {
        ValueCache cache = new ValueCache(MIB);
        long before = cache.version(key(1));
        cache.put(key(1), value(1, 2, 50));
        cache.putUnlessChanged(key(1), value(1, 1, 50), before);
        assertThat(cache.get(key(1))).isEqualTo(value(1, 2, 50));

        before = cache.version(key(1));
        cache.remove(key(1));
        cache.putUnlessChanged(key(1), value(1, 2, 50), before);
        assertThat(cache.get(key(1))).isNull();

        before = cache.version(key(1));
        cache.clear();
        cache.putUnlessChanged(key(1), value(1, 2, 50), before);
        assertThat(cache.get(key(1))).isNull();

        cache.putUnlessChanged(key(1), value(1, 3, 50), cache.version(key(1)));
        assertThat(cache.get(key(1))).isEqualTo(value(1, 3, 50));
    }

    @Test
    void put_tooLong_forgetsTheValueBefore() {
        ValueCache cache = new ValueCache(MIB);
        cache.put(key(1), value(1, 1, 50));

        cache.put(key(1), value(1, 2, 70_000));

        assertThat(cache.get(key(1))).isNull();
    }
}
