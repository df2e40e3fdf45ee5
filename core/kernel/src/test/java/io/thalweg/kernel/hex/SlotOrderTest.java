package io.thalweg.kernel.hex;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SlotOrderTest {
    @Test
    void slot_rowsInAnyOrder_ascendAndKeepTheirNumbers() {
        HexTiling tiling = HexTiling.of(9);
        SlotOrder order = new SlotOrder(tiling, new int[] {0});
        Random random = new Random(3);
        for (int rows : new int[] {0, 1, 700, tiling.slots(), 64}) {
            List<Integer> slots = IntStream.range(0, tiling.slots()).boxed().collect(Collectors.toList());
            Collections.shuffle(slots, random);
            List<Integer> some = slots.subList(0, rows);
            order.begin(tiling.tile(tiling.cell(40.75, -73.98)));
            some.forEach(slot -> order.add(slot, null));

            assertThat(order.rows()).isEqualTo(rows);
            assertThat(IntStream.range(0, rows).map(order::slot)).isSorted().hasSize(rows);
            assertThat(IntStream.range(0, rows).mapToObj(row -> some.get(order.number(row))))
                    .isEqualTo(IntStream.range(0, rows).mapToObj(order::slot).toList());
        }
    }

    @Test
    void slot_askedBetweenRows_seesThoseThatCameSince() {
        SlotOrder order = new SlotOrder(HexTiling.of(9), new int[] {0});
        order.add(7, null);
        assertThat(order.slot(0)).isEqualTo(7);
        order.add(5, null);
        assertThat(order.slot(0)).isEqualTo(5);
        assertThat(order.number(0)).isEqualTo(1);
    }
}
