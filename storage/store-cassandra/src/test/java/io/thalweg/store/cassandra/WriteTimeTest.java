package io.thalweg.store.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.model.Definitions;
import io.thalweg.model.row.Finality;
import io.thalweg.model.view.FeatureView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares write times with the order rule itself. */
class WriteTimeTest {
    private static final long T0 = 1_767_225_600_000L;

    private record Order(long windowEndMs, Finality finality, long sequence) {}

    private static final Comparator<Order> RULE = Comparator.comparingLong(Order::windowEndMs)
            .thenComparing(Order::finality)
            .thenComparingLong(Order::sequence);

    private static FeatureView view(String every) {
        return Definitions.parse("""
                        apiVersion: thalweg/v1
                        kind: FeatureView
                        name: v
                        source: {topic: t}
                        entities: [{name: k, field: k}]
                        measures: [{count: all}]
                        windows: {sizes: [%s], every: %s}
                        online: {ttl: 1d}
                        """.formatted(every, every), "v.yaml").views().get(0);
    }

    /** Sequences of all sizes are never misordered, though distant ones may share a time. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void of_anyRows_neverDisagreesWithTheOrderRule(long seed) {
        Random random = new Random(seed);
        long everyMs = List.of(1L, 100L, 1_000L, 10_000L, 60_000L, 86_400_000L).get(random.nextInt(6));
        WriteTime time = new WriteTime(view(everyMs + "ms"));
        List<Order> orders = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            long end = Math.floorDiv(T0, everyMs) * everyMs + everyMs * random.nextInt(3);
            boolean isFinal = random.nextInt(4) == 0;
            long sequence = random.nextBoolean()
                    ? random.nextLong() >>> (1 + random.nextInt(63))
                    : end + random.nextInt(200_000) - 100_000;
            orders.add(new Order(end, isFinal ? Finality.FINAL : Finality.PARTIAL, isFinal ? 0 : sequence));
        }
        orders.sort(RULE);
        for (int i = 1; i < orders.size(); i++) {
            Order before = orders.get(i - 1);
            Order after = orders.get(i);
            long difference = of(time, after) - of(time, before);
            assertThat(difference).as("%s before %s", before, after).isGreaterThanOrEqualTo(0);
            if (before.windowEndMs() != after.windowEndMs() || before.finality() != after.finality()) {
                assertThat(difference).as("%s before %s", before, after).isPositive();
            }
        }
    }

    private static long of(WriteTime time, Order order) {
        return time.of(order.windowEndMs(), order.finality(), order.sequence());
    }

    @Test
    void of_sequencesOfAJob_areAllToldApart() {
        WriteTime time = new WriteTime(view("10s"));
        long end = T0 + 10_000;
        long before = Long.MIN_VALUE;
        boolean ordered = true;
        for (long sequence = end - 70_000; sequence < end + 7_000_000; sequence++) {
            long now = time.of(end, Finality.PARTIAL, sequence);
            ordered &= now > before;
            before = now;
        }
        assertThat(ordered).isTrue();
        assertThat(time.of(end, Finality.FINAL, 0)).isGreaterThan(before).isEqualTo(end * 1_000 - 1);
        assertThat(time.of(end, Finality.PARTIAL, 0)).isEqualTo(T0 * 1_000);
        assertThat(time.of(end, Finality.PARTIAL, 1)).isEqualTo(T0 * 1_000 + 1);
    }
}
