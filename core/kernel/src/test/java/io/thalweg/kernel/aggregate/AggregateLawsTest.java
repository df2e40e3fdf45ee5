package io.thalweg.kernel.aggregate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The laws of {@link Aggregate}, and its values against {@code BigDecimal}. */
class AggregateLawsTest {
    private static final List<Aggregate> ALL = List.of(
            IntegerSum.INSTANCE,
            DoubleSum.INSTANCE,
            Extreme.MIN_LONG,
            Extreme.MAX_LONG,
            Extreme.MIN_DOUBLE,
            Extreme.MAX_DOUBLE);

    /** A partial between words of others, which must not change. */
    private static final class Partial {
        private static final int AT = 3;
        private static final long GUARD = 0x5ca1ab1eL;

        final Aggregate of;
        final Spill spill;
        final long[] words;

        Partial(Aggregate of) {
            this(of, new Spill());
        }

        Partial(Aggregate of, Spill spill) {
            this.of = of;
            this.spill = spill;
            this.words = new long[2 * AT + of.words()];
            Arrays.fill(words, GUARD);
            of.create(words, AT);
        }

        Partial accumulate(long input) {
            of.accumulate(words, AT, spill, input);
            return this;
        }

        Partial merge(Partial other) {
            of.merge(words, AT, spill, other.words, AT, other.spill);
            return this;
        }

        Partial subtract(Partial other) {
            of.subtract(words, AT, spill, other.words, AT, other.spill);
            return this;
        }

        String value() {
            Finished into = new Finished();
            of.finish(words, AT, spill, into);
            for (int i = 0; i < AT; i++) {
                assertThat(words[i]).isEqualTo(GUARD);
                assertThat(words[words.length - 1 - i]).isEqualTo(GUARD);
            }
            return into.high() + ":" + into.low();
        }
    }

    static Stream<Arguments> cases() {
        return io.thalweg.testing.Seeds.seeds()
                .boxed()
                .flatMap(seed -> ALL.stream().map(aggregate -> Arguments.of(seed, ALL.indexOf(aggregate))));
    }

    private static boolean decimal(Aggregate aggregate) {
        return aggregate == DoubleSum.INSTANCE || aggregate == Extreme.MIN_DOUBLE || aggregate == Extreme.MAX_DOUBLE;
    }

    private static List<Long> inputs(Random random, Aggregate aggregate) {
        int kind = random.nextInt(6);
        List<Long> inputs = new ArrayList<>();
        for (int left = random.nextInt(60); left > 0; left--) {
            inputs.add(decimal(aggregate) ? Double.doubleToRawLongBits(decimal(random, kind)) : integer(random, kind));
        }
        return inputs;
    }

    private static long integer(Random random, int kind) {
        return switch (kind) {
            case 0 -> random.nextInt(-5, 6);
            case 1 -> random.nextBoolean() ? Long.MAX_VALUE : Long.MIN_VALUE;
            default -> random.nextLong() >> random.nextInt(64);
        };
    }

    private static double decimal(Random random, int kind) {
        return switch (kind) {
            case 0 -> random.nextInt(-500, 500) / 100.0;
            case 1 -> random.nextInt(-9, 10);
            case 2 -> random.nextGaussian() * Math.pow(10, random.nextInt(-12, 12));
            case 3 -> (random.nextBoolean() ? 1 : -1) * Double.MIN_VALUE * random.nextInt(5);
            case 4 -> (random.nextBoolean() ? 1 : -1) * Double.MAX_VALUE / random.nextInt(1, 9);
            default -> any(random);
        };
    }

    /** Returns a random finite double with uniformly distributed exponents. */
    private static double any(Random random) {
        double value = Double.longBitsToDouble(random.nextLong());
        return Double.isFinite(value) ? value : 0.0;
    }

    private static Partial partial(Aggregate aggregate, List<Long> inputs) {
        Partial partial = new Partial(aggregate);
        inputs.forEach(partial::accumulate);
        return partial;
    }

    @ParameterizedTest(name = "seed={0} aggregate={1}")
    @MethodSource("cases")
    void merge_anyGrouping_givesTheSameValue(long seed, int number) {
        Aggregate aggregate = ALL.get(number);
        Random random = new Random(seed);
        List<Long> a = inputs(random, aggregate);
        List<Long> b = inputs(random, aggregate);
        List<Long> c = inputs(random, aggregate);
        List<Long> all = new ArrayList<>(a);
        all.addAll(b);
        all.addAll(c);
        String whole = partial(aggregate, all).value();

        Partial left = partial(aggregate, a).merge(partial(aggregate, b)).merge(partial(aggregate, c));
        Partial right = partial(aggregate, a).merge(partial(aggregate, b).merge(partial(aggregate, c)));
        Partial swapped = partial(aggregate, c).merge(partial(aggregate, a)).merge(partial(aggregate, b));
        assertThat(left.value()).isEqualTo(whole);
        assertThat(right.value()).isEqualTo(whole);
        assertThat(swapped.value()).isEqualTo(whole);
        assertThat(left.merge(new Partial(aggregate)).value()).isEqualTo(whole);
        assertThat(new Partial(aggregate).merge(right).value()).isEqualTo(whole);

        for (int i = 0; i < 5; i++) {
            Collections.shuffle(all, random);
            assertThat(partial(aggregate, all).value()).isEqualTo(whole);
        }
    }

    @ParameterizedTest(name = "seed={0} aggregate={1}")
    @MethodSource("cases")
    void subtract_whatWasMerged_undoesIt(long seed, int number) {
        Aggregate aggregate = ALL.get(number);
        Random random = new Random(seed);
        Partial a = partial(aggregate, inputs(random, aggregate));
        Partial b = partial(aggregate, inputs(random, aggregate));
        if (!aggregate.subtracts()) {
            assertThatThrownBy(() -> a.subtract(b)).isInstanceOf(UnsupportedOperationException.class);
            return;
        }
        String before = a.value();
        assertThat(a.merge(b).subtract(b).value()).isEqualTo(before);
        assertThat(a.subtract(a).value()).isEqualTo(new Partial(aggregate).value());
        assertThat(a.spill.size()).isZero();
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void finish_sums_areTheExactOnesRoundedOnce(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 50; i++) {
            List<Long> integers = inputs(random, IntegerSum.INSTANCE);
            BigInteger sum = integers.stream().map(BigInteger::valueOf).reduce(BigInteger.ZERO, BigInteger::add);
            Partial partial = partial(IntegerSum.INSTANCE, integers);
            assertThat(IntegerSum.big(partial.words[Partial.AT], partial.words[Partial.AT + 1]))
                    .isEqualTo(sum);
            quotients(random, IntegerSum.INSTANCE, partial, new BigDecimal(sum));

            List<Long> doubles = inputs(random, DoubleSum.INSTANCE);
            BigDecimal exact = doubles.stream()
                    .map(bits -> new BigDecimal(Double.longBitsToDouble(bits)))
                    .reduce(BigDecimal.ZERO, BigDecimal::add);
            Partial decimals = partial(DoubleSum.INSTANCE, doubles);
            assertThat(decimals.value()).isEqualTo("0:" + Double.doubleToRawLongBits(nearest(exact)));
            quotients(random, DoubleSum.INSTANCE, decimals, exact);
        }
    }

    private static void quotients(Random random, Sum sum, Partial partial, BigDecimal exact) {
        long numerator = random.nextBoolean() ? 1 : random.nextLong(1, 100_000);
        long denominator = random.nextLong(1, 1L << random.nextInt(1, 63));
        // 1,200 digits are more than any tie between two doubles needs.
        BigDecimal expected = exact.multiply(BigDecimal.valueOf(numerator))
                .divide(BigDecimal.valueOf(denominator), new MathContext(1_200));
        assertThat(sum.quotient(partial.words, Partial.AT, partial.spill, numerator, denominator))
                .isEqualTo(nearest(expected));
    }

    /** Converts by way of text, because {@code BigDecimal.doubleValue} of older JDKs rounds twice. */
    private static double nearest(BigDecimal exact) {
        return exact.signum() == 0 ? 0.0 : Double.parseDouble(exact.toString());
    }

    @Test
    void finish_sumsBeyondAllDoubles_areInfiniteAndComeBack() {
        Partial sum = new Partial(DoubleSum.INSTANCE);
        sum.accumulate(Double.doubleToRawLongBits(Double.MAX_VALUE))
                .accumulate(Double.doubleToRawLongBits(Double.MAX_VALUE));
        assertThat(sum.value()).isEqualTo("0:" + Double.doubleToRawLongBits(Double.POSITIVE_INFINITY));
        assertThat(DoubleSum.INSTANCE.quotient(sum.words, Partial.AT, sum.spill, 1, 2))
                .isEqualTo(Double.MAX_VALUE);
        sum.accumulate(Double.doubleToRawLongBits(-Double.MAX_VALUE));
        assertThat(sum.value()).isEqualTo("0:" + Double.doubleToRawLongBits(Double.MAX_VALUE));
    }

    @Test
    void accumulate_pricesByTheMillion_doNotSpill() {
        Random random = new Random(5);
        Partial sum = new Partial(DoubleSum.INSTANCE);
        BigDecimal exact = BigDecimal.ZERO;
        for (int i = 0; i < 200_000; i++) {
            double price = random.nextInt(1, 10_000_000) / 100.0;
            sum.accumulate(Double.doubleToRawLongBits(price));
            exact = exact.add(new BigDecimal(price));
        }
        assertThat(sum.value()).isEqualTo("0:" + Double.doubleToRawLongBits(nearest(exact)));
        assertThat(sum.spill.size()).isZero();
    }

    @Test
    void extremes_ofZerosAndEnds_areOrdered() {
        assertThat(partial(
                                Extreme.MIN_DOUBLE,
                                List.of(Double.doubleToRawLongBits(0.0), Double.doubleToRawLongBits(-0.0)))
                        .value())
                .isEqualTo("0:" + Double.doubleToRawLongBits(-0.0));
        assertThat(partial(Extreme.MAX_LONG, List.of(Long.MIN_VALUE)).value()).isEqualTo("-1:" + Long.MIN_VALUE);
        assertThat(partial(Extreme.MIN_LONG, List.of(Long.MAX_VALUE)).value()).isEqualTo("0:" + Long.MAX_VALUE);
        assertThat(partial(Extreme.MIN_LONG, List.of(3L, -7L, 5L)).value()).isEqualTo("-1:-7");
        assertThat(partial(
                                Extreme.MAX_DOUBLE,
                                List.of(Double.doubleToRawLongBits(-3.5), Double.doubleToRawLongBits(-1e300)))
                        .value())
                .isEqualTo("0:" + Double.doubleToRawLongBits(-3.5));
    }

    @Test
    void spill_copiesAndBytes_holdTheSameNumbers() throws IOException {
        Spill spill = new Spill();
        Partial gone = new Partial(DoubleSum.INSTANCE, spill);
        Partial kept = new Partial(DoubleSum.INSTANCE, spill);
        for (double value : new double[] {1e300, 1e-300}) {
            gone.accumulate(Double.doubleToRawLongBits(value));
            kept.accumulate(Double.doubleToRawLongBits(value));
        }
        assertThat(spill.size()).isEqualTo(2);
        Spill copy = spill.copy();
        DoubleSum.INSTANCE.release(gone.words, Partial.AT, spill);
        assertThat(spill.size()).isEqualTo(1);
        assertThat(copy.size()).isEqualTo(2);

        ByteArrayOutputStream out = new ByteArrayOutputStream();
        spill.write(new DataOutputStream(out));
        Spill read = Spill.read(new DataInputStream(new ByteArrayInputStream(out.toByteArray())));
        assertThat(read.size()).isEqualTo(1);
        Partial again = new Partial(DoubleSum.INSTANCE, read);
        System.arraycopy(kept.words, Partial.AT, again.words, Partial.AT, 2);
        again.accumulate(Double.doubleToRawLongBits(-1e300));
        assertThat(again.value()).isEqualTo("0:" + Double.doubleToRawLongBits(1e-300));
        assertThat(read.size()).isZero();
        assertThat(read.add(BigInteger.TEN)).isEqualTo(kept.words[Partial.AT + 1]);
    }
}
