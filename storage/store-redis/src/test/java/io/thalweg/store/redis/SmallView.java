package io.thalweg.store.redis;

import io.thalweg.model.Definitions;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.RowOrder;
import io.thalweg.model.view.FeatureView;
import java.util.List;

/** A view whose only entity is the cell, and rows of it. */
final class SmallView {
    /** 2026-01-01T00:00:00Z. */
    static final long T0 = 1_767_225_600_000L;

    static final FeatureView VIEW = Definitions.parse("""
                    apiVersion: thalweg/v1
                    kind: FeatureView
                    name: small
                    source: {topic: events, event_time: {field: ts}}
                    entities: [{name: cell, h3: {lat: lat, lng: lng, resolution: 9}}]
                    measure: {count: all}
                    rings: [0, 1]
                    windows: {sizes: [1m], every: 1m}
                    online: {ttl: 1d}
                    """, "small.yaml").views().get(0);

    /** A view of another kind. */
    static final FeatureView KEYED =
            Definitions.parse("""
                    apiVersion: thalweg/v1
                    kind: FeatureView
                    name: keyed
                    source: {topic: events, event_time: {field: ts}}
                    entities: [{name: user, field: user_id}]
                    measures: [{name: events, count: all}]
                    windows: {sizes: [1m], every: 1m}
                    online: {ttl: 1d}
                    """, "keyed.yaml").views().get(0);

    private SmallView() {}

    static HexRowBlock block(long windowEndMs, Finality finality, long cell) {
        return new HexRowBlock(
                new BlockHead(VIEW.qualifiedName(), 0, new RowOrder(windowEndMs, finality, 0)),
                0x852a1007fffffffL,
                List.of(),
                new long[] {cell},
                new long[] {cell % 10, cell % 10 + 7},
                null);
    }

    /** Returns the {@code n}th of some cells of resolution 9 that are not neighbours. */
    static long cell(int n) {
        return 0x892a0000003ffffL | (long) (n % 7) << 18 | (long) (n / 7 % 7) << 24 | (long) (n / 49 % 7) << 27;
    }
}
