package io.thalweg.model;

import io.thalweg.model.view.FeatureView;
import io.thalweg.testing.Checkout;
import java.nio.file.Path;
import java.util.List;

/** Views for tests. */
public final class Views {
    public static final Path EXAMPLES = Checkout.file("examples");

    private Views() {}

    public static FeatureView demand() {
        return Definitions.load(List.of(EXAMPLES.resolve("demand.yaml")))
                .views()
                .get(0);
    }

    /** Two rings, three windows, entities of every type around the cell. */
    public static FeatureView small() {
        return Definitions.parse("""
                        apiVersion: thalweg/v1
                        kind: FeatureView
                        name: small
                        version: 2
                        source: {topic: events}
                        entities:
                          - {name: product, field: product_id, type: uuid}
                          - {name: cell, h3: {cell: c, resolution: 9}}
                          - {name: city, field: city_id, type: int64}
                          - {name: label, field: label}
                          - {name: open, field: open, type: bool}
                        measure: {count: all}
                        rings: [0, 2]
                        windows: {sizes: [1m, 2m, 5m], every: 1m}
                        """, "small.yaml").views().get(0);
    }
}
