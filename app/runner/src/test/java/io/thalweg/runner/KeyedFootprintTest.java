package io.thalweg.runner;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.model.Definitions;
import org.junit.jupiter.api.Test;

final class KeyedFootprintTest {
    private static KeyedFootprint footprint(String entity, String measures, String sizes) {
        return KeyedFootprint.of(
                Definitions.parse("""
                                apiVersion: thalweg/v1
                                kind: FeatureView
                                name: campaigns
                                source: {topic: ads, max_out_of_orderness: 1s}
                                entities: [{name: campaign, field: c, type: %s}]
                                measures: %s
                                windows: {sizes: %s, every: 10s}
                                online: {ttl: 10m, history: 50s}
                                """.formatted(entity, measures, sizes), "campaigns.yaml")
                        .views()
                        .get(0),
                1_000_000,
                5_000);
    }

    private static final KeyedFootprint COUNTS = footprint("int64", "[{count: all}]", "[10s]");

    @Test
    void bytes_ofACount_areSomeTwentyAndHalfAsManyForTheClosingRow() {
        assertThat(COUNTS.paneBytes()).isBetween(18.0, 26.0);
        assertThat(COUNTS.windowBytes()).isBetween(8.0, 16.0);
        assertThat(COUNTS.stateBytes()).isEqualTo(2 * 50_000 * COUNTS.paneBytes() + 1_000_000 * COUNTS.windowBytes());
    }

    @Test
    void bytes_ofMoreMeasuresWindowsAndTextKeys_areMore() {
        KeyedFootprint more = footprint("string", "[{count: all}, {sum: cost}, {count_distinct: user}]", "[10s, 1m]");
        assertThat(more.panes()).isEqualTo(8);
        assertThat(more.paneBytes()).isGreaterThan(2 * COUNTS.paneBytes());
        assertThat(more.windowBytes()).isGreaterThan(2 * COUNTS.windowBytes());
    }

    @Test
    void rows_areOnePerKeyAndEnd() {
        assertThat(COUNTS.rowsPerSecond()).isEqualTo(100_000.0);
        assertThat(COUNTS.storedRows()).isEqualTo(1_000_000.0 * (1 + 65));
        assertThat(COUNTS.jsonRowBytes()).isBetween(100.0, 200.0);
        assertThat(COUNTS.packedRowBytes()).isBetween(9.0, 15.0);
        assertThat(COUNTS.storedRowBytes()).isBetween(30.0, 60.0);
    }
}
