package io.thalweg.model.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.model.Definitions;
import io.thalweg.model.view.FeastView.JoinKey;
import io.thalweg.model.view.FeastView.KeyType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FeastViewTest {
    /** Expected values are from Python's mmh3, which Feast uses. */
    @ParameterizedTest
    @CsvSource({
        "'', 00000000",
        "a, 3c2569b2",
        "ab, 9bbfd75f",
        "abc, b3dd93fa",
        "abcd, 43ed676a",
        "hexagönal, d0da39c7",
        "hex_demand:demand_r0_1m, 0b5a48ce",
        "hex_demand:demand_r1_32m, 7b6df381"
    })
    void murmur3_knownTexts_answersAsMmh3(String text, String hash) {
        assertThat(FeastView.murmur3(text)).isEqualTo(Integer.parseUnsignedInt(hash, 16));
    }

    @Test
    void of_viewWithRings_sortsItsJoinKeysAndKeepsItsFeatures() {
        FeastView feast = FeastView.of(view("""
                name: demand
                version: 2
                entities:
                  - {name: product, field: p, type: uuid}
                  - {name: cell, h3: {lat: lat, lng: lng}}
                  - {name: pooled, field: q, type: bool}
                measure: {count: all}
                rings: [0, 1]
                """, "feast-scalars"));
        assertThat(feast.name()).isEqualTo("demand_v2");
        assertThat(feast.joinKeys())
                .containsExactly(
                        new JoinKey("cell", KeyType.INT64),
                        new JoinKey("pooled", KeyType.INT64),
                        new JoinKey("product", KeyType.STRING));
        assertThat(feast.features()).containsExactly("k0_1m", "k1_1m");
        assertThat(feast.field("k0_1m")).isEqualTo(FeastView.murmur3("demand_v2:k0_1m"));
    }

    @Test
    void of_arrayLayout_hasOneFeature() {
        assertThat(FeastView.of(view(keyed("clicks", "a", "shop"), "feast-array"))
                        .features())
                .containsExactly(FeastView.ARRAY);
    }

    /** Names with equal hashes conflict only in a Feast layout, and only within the same Redis hash. */
    @Test
    void take_sameHash_isRefusedForTheSameEntitiesOnly() {
        FeatureView clicks = view(keyed("clicks", "seats_37339", "shop"), "feast-scalars");
        String sales = keyed("sales", "rides_17160", "shop");
        assertThat(problem(clicks, view(sales, "feast-scalars")))
                .contains("clicks:seats_37339_1m")
                .contains("sales:rides_17160_1m");
        assertThat(problem(clicks, view(sales, "packed"))).isEmpty();
        assertThat(problem(clicks, view(sales, "feast-array"))).isEmpty();
        assertThat(problem(clicks, view(keyed("sales", "rides_17160", "store"), "feast-scalars")))
                .isEmpty();
    }

    private static String problem(FeatureView one, FeatureView two) {
        FeastFields fields = new FeastFields();
        assertThat(fields.take(one)).isEmpty();
        return fields.take(two).orElse("");
    }

    private static String keyed(String name, String measure, String entity) {
        return """
                name: %s
                entities: [{name: %s, field: shop_id}]
                measures: [{name: %s, count: all}]
                """.formatted(name, entity, measure);
    }

    private static FeatureView view(String definition, String layout) {
        return Definitions.parse("""
                        apiVersion: thalweg/v1
                        kind: FeatureView
                        source: {topic: events}
                        windows: {sizes: [1m], every: 1m}
                        online: {layout: %s}
                        """.formatted(layout) + definition, "view.yaml")
                .views()
                .get(0);
    }
}
