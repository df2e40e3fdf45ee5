package io.thalweg.feast;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.model.Definitions;
import io.thalweg.model.view.FeatureView;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Compares keys byte by byte with those of Feast 0.67.0. */
class FeastKeysTest {
    @Test
    void key_ofCellAndProduct_isFeasts() {
        FeatureView view = view("""
                entities:
                  - {name: hex_id, h3: {lat: lat, lng: lng}}
                  - {name: product, field: product_id}
                measure: {count: all}
                rings: [0]
                """);
        assertThat(hex(new FeastKeys("market", view).key(613196570331971583L, List.of("uberx"))))
                .isEqualTo("02000000" + "02000000060000006865785f6964" + "020000000700000070726f64756374"
                        + "0400000008000000ffff1f2808838208" + "02000000050000007562657278" + "6d61726b6574");
    }

    /** Lengths are in bytes. */
    @Test
    void key_ofAllTypes_isSortedByName() {
        String uuid = "17a2b60c-29dd-5f76-95f3-b65da5cbbdbe";
        FeatureView view = view("""
                entities:
                  - {name: zone, field: z}
                  - {name: rider, field: r, type: uuid}
                  - {name: pooled, field: p, type: bool}
                  - {name: driver, field: d, type: int64}
                measures: [{count: all}]
                """);
        assertThat(hex(new FeastKeys("m", view).key(0, List.of("Zürich", uuid, true, -2L))))
                .isEqualTo(KEY_OF_ALL_TYPES);
    }

    private static final String KEY_OF_ALL_TYPES =
            "0400000002000000060000006472697665720200000006000000706f6f6c656402000000050000007269646572020000"
                    + "00040000007a6f6e650400000008000000feffffffffffffff0400000008000000010000000000000002000000240000"
                    + "0031376132623630632d323964642d356637362d393566332d62363564613563626264626502000000070000005ac3bc"
                    + "726963686d";

    @Test
    void key_textThatIsNotUnicode_staysApart() {
        FeatureView view = view("""
                entities: [{name: zone, field: z}]
                measures: [{count: all}]
                """);
        FeastKeys keys = new FeastKeys("m", view);
        assertThat(List.of(
                        hex(keys.key(0, List.of("a\ud800"))),
                        hex(keys.key(0, List.of("a\ud801"))),
                        hex(keys.key(0, List.of("a?"))),
                        hex(keys.key(0, List.of("a\ud83d\ude97")))))
                .doesNotHaveDuplicates();
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    private static FeatureView view(String entities) {
        return Definitions.parse("""
                        apiVersion: thalweg/v1
                        kind: FeatureView
                        name: small
                        source: {topic: events}
                        windows: {sizes: [1m], every: 1m}
                        online: {layout: feast-scalars}
                        """ + entities, "view.yaml").views().get(0);
    }
}
