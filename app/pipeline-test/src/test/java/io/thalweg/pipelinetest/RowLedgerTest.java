package io.thalweg.pipelinetest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.model.Definitions;
import io.thalweg.model.view.FeatureView;
import io.thalweg.pipelinetest.PipelineTest.RowKey;
import io.thalweg.testing.Checkout;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RowLedgerTest {
    private static final FeatureView VIEW = Definitions.load(List.of(Checkout.file("examples/campaign_views.yaml")))
            .views()
            .get(0);
    private static final long END_MS = Instant.parse("2026-01-01T12:00:10Z").toEpochMilli();

    private static String row(String campaign, String end, int views) {
        return ("{\"view\":\"campaign_views\",\"campaign\":\"%s\",\"window_end\":\"2026-01-01T%sZ\",\"finality\":\"FINAL\","
                        + "\"features\":{\"views_10s\":%d}}\n")
                .formatted(campaign, end, views);
    }

    private static RowLedger ledger(@Nullable Set<Long> whole, String... rows) {
        RowLedger ledger = new RowLedger(VIEW, whole);
        byte[] lines = String.join("", rows).getBytes(UTF_8);
        ledger.write(lines, 0, lines.length);
        return ledger;
    }

    @Test
    void write_windowEnds_keepsWholeRowsOfThose() {
        RowLedger ledger =
                ledger(Set.of(END_MS), row("é\\\"window_end\\\":\\\"x", "12:00:10", 2), row("a", "12:00:20", 1));

        assertThat(ledger.size()).isEqualTo(2);
        assertThat(ledger.rows()).containsOnlyKeys(new RowKey(Map.of("campaign", "é\"window_end\":\"x"), END_MS));
        assertThat(ledger(null, row("a", "12:00:10", 1), row("a", "12:00:20", 1))
                        .rows())
                .hasSize(2);
    }

    @Test
    void differences_ofEachKind_areFound() {
        RowLedger plain =
                ledger(Set.of(), row("same", "12:00:10", 1), row("other", "12:00:10", 1), row("lost", "12:00:10", 1));
        RowLedger others =
                ledger(Set.of(), row("other", "12:00:10", 2), row("new", "12:00:10", 1), row("same", "12:00:10", 1));

        assertThat(plain.differences(others).entrySet())
                .extracting(row -> row.getKey().replaceAll(".*campaign\":\"(\\w+)\".*", "$1") + " " + row.getValue())
                .containsExactly("lost is not there", "new is there, but must not be", "other has other values");
        assertThat(plain.differences(plain)).isEmpty();
        assertThat(others.changed()).isEmpty();
    }

    @Test
    void changed_rowTwice_onlyWithOtherValues() {
        assertThat(ledger(Set.of(), row("a", "12:00:10", 1), row("a", "12:00:10", 1))
                        .changed())
                .isEmpty();
        assertThat(ledger(Set.of(), row("a", "12:00:10", 1), row("a", "12:00:10", 2))
                        .changed())
                .hasSize(1);
    }
}
