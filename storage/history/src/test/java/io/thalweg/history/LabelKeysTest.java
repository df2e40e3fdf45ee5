package io.thalweg.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.model.Definitions;
import io.thalweg.model.view.FeatureView;
import io.thalweg.records.columns.ColumnWriter;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.Struct;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Keys of views with cells, from columns of text, whole numbers and degrees. */
class LabelKeysTest {
    private static final FeatureView VIEW =
            Definitions.parse("""
                    apiVersion: thalweg/v1
                    kind: FeatureView
                    name: demand
                    source: {topic: rider-events, event_time: {field: ts}}
                    entities: [{name: cell, h3: {lat: lat, lng: lng}}, {name: product, field: product, type: int64}]
                    measure: {count: all}
                    rings: [0]
                    windows: {sizes: [1m], every: 1m}
                    """, "demand.yaml").views().get(0);

    private static Labels read(FieldType.Scalar type, Object cell) {
        Struct schema = new Struct(List.of(Field.required("cell", type), Field.required("product", FieldType.INT64)));
        ColumnWriter columns = new ColumnWriter(schema);
        columns.begin();
        if (cell instanceof String text) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            columns.bytes(0, bytes, 0, bytes.length);
        } else {
            columns.int64(0, (Long) cell);
        }
        columns.int64(1, 7);
        columns.end();
        Labels labels = new Labels(VIEW, 1);
        LabelKeys.of(VIEW, schema, new LabelKeys.Columns(Map.of(), null)).read(columns.take(), new long[1], 1, labels);
        return labels;
    }

    @Test
    void read_cellsAsTextAndNumbers_areTheSameKey() {
        int shard = read(FieldType.TEXT, "892a1008003ffff").shard(0);

        assertThat(read(FieldType.TEXT, "892A1008003FFFF").shard(0)).isEqualTo(shard);
        assertThat(read(FieldType.INT64, 0x892a1008003ffffL).shard(0)).isEqualTo(shard);
    }

    /** A cell that does not exist has no rows, so it would be answered with zeros. */
    @Test
    void read_noSuchCell_isAnError() {
        wrong(FieldType.TEXT, "892a1008003fffe", "'892a1008003fffe' is not an H3 cell, as 892a1008003ffff is one");
        wrong(FieldType.INT64, 0x892a1008003fffeL, "'892a1008003fffe' is not an H3 cell, as 892a1008003ffff is one");
        wrong(FieldType.TEXT, "872a10080ffffff", "resolution 7, view has 9");
        wrong(FieldType.TEXT, "Broadway", "'Broadway' is not hex text of an H3 cell, such as 892a1008003ffff");
    }

    private static void wrong(FieldType.Scalar type, Object cell, String what) {
        assertThatThrownBy(() -> read(type, cell))
                .isInstanceOf(SpineException.class)
                .hasMessage("row 1 of the labels: entity 'cell' of view demand: " + what);
    }
}
