package io.thalweg.runner;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.model.Definitions;
import io.thalweg.model.view.FeatureView;
import io.thalweg.testing.Checkout;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

class RingRowsTest {
    @Test
    void perEvent_demandExample_diskTimesWindowEnds() throws Exception {
        FeatureView demand = Definitions.parse(Files.readString(Checkout.file("examples/demand.yaml")), "demand.yaml")
                .views()
                .get(0);
        // 1,261 cells within 20 steps; 32 ends of the largest window and the closing row.
        assertThat(RingRows.perEvent(demand)).isEqualTo(1_261L * 33);
        assertThat(RingRows.perEventText(demand)).contains("demand: a single event makes up to 41,613 rows, ");
    }
}
