package io.thalweg.kernel.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.testing.Await;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the table with a {@code TreeMap}. */
class WordTableTest {
    /** A table and its expected contents. */
    private static final class Pair {
        final int keyWords;
        final int valueWords;
        final Map<List<Long>, long[]> twin;
        WordTable table;

        Pair(int keyWords, int valueWords) {
            this(keyWords, valueWords, new WordTable(keyWords, valueWords), new TreeMap<>(WordTableTest::compare));
        }

        private Pair(int keyWords, int valueWords, WordTable table, Map<List<Long>, long[]> twin) {
            this.keyWords = keyWords;
            this.valueWords = valueWords;
            this.table = table;
            this.twin = twin;
        }

        Pair copy() {
            Map<List<Long>, long[]> values = new TreeMap<>(WordTableTest::compare);
            twin.forEach((key, value) -> values.put(key, value.clone()));
            return new Pair(keyWords, valueWords, table.copy(), values);
        }

        void step(Random random, int distinct) {
            List<Long> key = key(random, distinct);
            long[] k = padded(key);
            if (random.nextInt(5) == 0) {
                assertThat(table.remove(k[0], k[1], k[2], k[3])).isEqualTo(twin.remove(key) != null);
                return;
            }
            assertThat(table.find(k[0], k[1], k[2], k[3])).isEqualTo(twin.containsKey(key));
            assertThat(table.add(k[0], k[1], k[2], k[3])).isEqualTo(!twin.containsKey(key));
            long[] values = twin.computeIfAbsent(key, unseen -> new long[valueWords]);
            for (int i = 0; i < valueWords; i++) {
                long more = random.nextInt(-2, 3);
                values[i] += more;
                table.words()[table.at() + keyWords + i] += more;
            }
        }

        /** Returns words at both ends of their range, adjacent ones, and spread ones; the rest of a key differs little. */
        private List<Long> key(Random random, int distinct) {
            long number = random.nextInt(distinct);
            long word = switch ((int) (number % 11)) {
                case 0 -> Long.MAX_VALUE - (number > distinct / 2 ? 0 : number % 30);
                case 1 -> Long.MIN_VALUE + number % 30;
                case 2 -> Mix.mix(3) + number % 30;
                default -> Mix.mix(number / (keyWords > 1 ? 3 : 1));
            };
            List<Long> key = new ArrayList<>(List.of(word));
            for (int i = 1; i < keyWords; i++) {
                key.add((long) random.nextInt(-2, 3));
            }
            return key;
        }

        private long[] padded(List<Long> key) {
            return IntStream.range(0, 4)
                    .mapToLong(i -> i < keyWords ? key.get(i) : 0)
                    .toArray();
        }

        void check() {
            assertThat(table.size()).isEqualTo(twin.size());
            assertThat(entries(table.all())).isEqualTo(expected(0, 0));
            twin.forEach((key, values) -> {
                long[] k = padded(key);
                assertThat(table.find(k[0], k[1], k[2], k[3])).isTrue();
            });
        }

        void checkRange(int range, int bits) {
            assertThat(entries(table.range(range, bits))).isEqualTo(expected(range, bits));
        }

        private List<String> entries(WordTable.Cursor cursor) {
            List<String> entries = new ArrayList<>();
            long before = Long.MIN_VALUE;
            while (cursor.next()) {
                long[] entry = Arrays.copyOfRange(cursor.words(), cursor.at(), cursor.at() + keyWords + valueWords);
                assertThat(entry[0]).isGreaterThanOrEqualTo(before);
                before = entry[0];
                entries.add(Arrays.toString(entry));
            }
            entries.sort(null); // keys with equal first words are in any order
            return entries;
        }

        private List<String> expected(int range, int bits) {
            List<String> entries = new ArrayList<>();
            twin.forEach((key, values) -> {
                if (bits == 0 || (key.get(0) ^ Long.MIN_VALUE) >>> (64 - bits) == range) {
                    long[] entry = Arrays.copyOf(padded(key), keyWords + valueWords);
                    System.arraycopy(values, 0, entry, keyWords, valueWords);
                    entries.add(Arrays.toString(entry));
                }
            });
            entries.sort(null);
            return entries;
        }
    }

    private static int compare(List<Long> a, List<Long> b) {
        for (int i = 0; i < a.size(); i++) {
            int order = Long.compare(a.get(i), b.get(i));
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void addFindRemove_randomKeys_agreeWithTheMap(long seed) throws IOException {
        Random random = new Random(seed);
        Pair pair = new Pair(1 + random.nextInt(4), random.nextInt(5));
        int distinct = 1 << random.nextInt(2, 16);
        for (int i = 0; i < 4 * distinct; i++) {
            pair.step(random, distinct);
        }
        pair.check();
        int bits = random.nextInt(12);
        for (int i = 0; i < 20; i++) {
            pair.checkRange(random.nextInt(1 << bits), bits);
        }
        pair.table = read(bytes(pair.table), pair);
        pair.check();
        for (int i = 0; i < distinct; i++) {
            pair.step(random, distinct);
        }
        pair.check();
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void cursor_removesAndWrites_thenTrims(long seed) {
        Random random = new Random(seed);
        Pair pair = new Pair(1 + random.nextInt(3), 1);
        int distinct = 1 << random.nextInt(2, 15);
        for (int i = 0; i < 2 * distinct; i++) {
            pair.step(random, distinct);
        }
        WordTable frozen = pair.table;
        List<String> before = pair.expected(0, 0);
        pair.table = frozen.copy();
        int bits = random.nextInt(6);
        for (int range = 0; range < 1 << bits; range++) {
            WordTable.Cursor cursor = pair.table.range(range, bits);
            while (cursor.next()) {
                List<Long> key = new ArrayList<>();
                for (int i = 0; i < pair.keyWords; i++) {
                    key.add(cursor.words()[cursor.at() + i]);
                }
                if (random.nextInt(8) > 0) {
                    cursor.remove();
                    assertThat(pair.twin.remove(key)).isNotNull();
                } else {
                    cursor.writableWords()[cursor.at() + pair.keyWords] += 9;
                    Objects.requireNonNull(pair.twin.get(key))[0] += 9;
                }
            }
            pair.table.trim(range, bits);
        }
        pair.check();
        assertThat(new Pair(pair.keyWords, 1, frozen, pair.twin).entries(frozen.all()))
                .isEqualTo(before);
        assertThat(pair.table.bytes()).isLessThanOrEqualTo(frozen.bytes());
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void copy_atRandomMoments_bothSidesGoTheirOwnWay(long seed) {
        Random random = new Random(seed);
        List<Pair> pairs = new ArrayList<>(List.of(new Pair(2, 1)));
        for (int i = 0; i < 30_000; i++) {
            Pair pair = pairs.get(random.nextInt(pairs.size()));
            if (pairs.size() < 5 && random.nextInt(5_000) == 0) {
                pairs.add(pair.copy());
            }
            pair.step(random, 9_000);
        }
        pairs.forEach(Pair::check);
    }

    /** As in a snapshot, the copy continues as the live table while another thread writes the original. */
    @Test
    void write_originalByAnotherThread_isAsItWasAtTheCopy() throws Exception {
        ExecutorService snapshots = Executors.newSingleThreadExecutor();
        Random random = new Random(8);
        Pair live = new Pair(1, 1);
        List<Pair> frozen = new ArrayList<>();
        List<Future<byte[]>> written = new ArrayList<>();
        try {
            for (int i = 0; i < 200_000; i++) {
                if (i % 40_000 == 20_000) {
                    Pair snapshot = live;
                    live = live.copy();
                    frozen.add(snapshot);
                    written.add(snapshots.submit(() -> bytes(snapshot.table)));
                }
                live.step(random, 60_000);
            }
            for (int s = 0; s < written.size(); s++) {
                Pair snapshot = frozen.get(s);
                snapshot.table = read(Await.get(written.get(s)), snapshot);
                snapshot.check();
            }
        } finally {
            snapshots.shutdownNow();
        }
        live.check();
    }

    @ParameterizedTest
    @ValueSource(ints = {5_000, 10_000, 33_333, 100_000, 170_000, 300_000, 500_000})
    void bytes_entriesOfTwoWords_areAtMost24(int keys) throws IOException {
        WordTable table = new WordTable(1, 1);
        for (long key = 0; key < keys; key++) {
            table.add(Mix.mix(key));
        }
        assertThat((double) table.bytes() / keys).isLessThan(24.5);
        WordTable read = WordTable.read(new DataInputStream(new ByteArrayInputStream(bytes(table))), 1, 1);
        assertThat((double) read.bytes() / keys).isLessThan(24.5);
    }

    @Test
    void mix_anyKey_comesBack() {
        Random random = new Random(4);
        for (int i = 0; i < 10_000; i++) {
            long key = i < 100 ? i - 50 : random.nextLong();
            long second = i % 3 == 0 ? key : random.nextLong();
            assertThat(Mix.unmix(Mix.mix(key))).isEqualTo(key);
            assertThat(Mix.unpair(Mix.pair(key, second), second)).isEqualTo(key);
        }
    }

    @Test
    void constructor_noKey_isRefused() {
        assertThatThrownBy(() -> new WordTable(0, 1))
                .hasMessageContaining("1 to 4 words of key")
                .hasMessageContaining("was 0");
    }

    @Test
    void read_otherWidths_areRefused() {
        byte[] bytes = bytes(new WordTable(1, 1));
        assertThatThrownBy(() -> WordTable.read(new DataInputStream(new ByteArrayInputStream(bytes)), 1, 2))
                .hasMessage("a table of 1 words of key and 2 of value was expected, was 1 and 1");
    }

    private static byte[] bytes(WordTable table) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            table.write(new DataOutputStream(out));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private static WordTable read(byte[] bytes, Pair like) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        WordTable table = WordTable.read(in, like.keyWords, like.valueWords);
        assertThat(in.available()).isZero();
        return table;
    }
}
