package io.thalweg.records.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.Struct;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RowTest {
    private static final Struct STOP = new Struct(List.of(Field.optional("name", FieldType.TEXT)));
    private static final Struct RIDE = new Struct(List.of(
            Field.required("id", FieldType.INT64),
            Field.optional("stops", new ListOf(STOP, true)),
            Field.optional("by_day", new MapOf(FieldType.TEXT, new ListOf(STOP, true), true)),
            Field.optional("raw", FieldType.BYTES)));

    private static Row ride() {
        return new Row(RowShape.of(RIDE));
    }

    @Test
    void get_valuesThatWereSet_areThere() {
        Row row = ride().set("id", 7L);
        assertThat(row.get("id", Long.class)).isEqualTo(7);
        assertThat(row.at(0)).isEqualTo(7L);
        assertThat(row.get("stops")).isNull();
        assertThat(row.set("id", null).get("id")).isNull();
    }

    @Test
    void get_otherName_isRefusedWithTheNames() {
        assertThatThrownBy(() -> ride().get("idd"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("there is no field 'idd'; the fields are: id, stops, by_day, raw");
        assertThatThrownBy(() -> ride().set("idd", 1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void get_otherClass_isRefusedWithBoth() {
        Row row = ride().set("id", 7L);
        assertThatThrownBy(() -> row.text("id"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'id' is a Long, not a String");
    }

    @Test
    void newRow_listsMapsAndValues_haveTheirOwnShape() {
        assertThat(ride().newRow("stops").shape().names()).containsExactly("name");
        assertThat(ride().newRow("by_day").shape().names()).containsExactly("name");
        assertThatThrownBy(() -> ride().newRow("id"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("field 'id' has no rows in it");
    }

    @Test
    void copy_changesOfTheOriginal_doNotShow() {
        Row stop = ride().newRow("stops").set("name", "A");
        List<Row> stops = new ArrayList<>(List.of(stop));
        Map<String, Object> byDay = new HashMap<>(Map.of("mo", new ArrayList<>(List.of(stop))));
        Row row = ride().set("stops", stops).set("by_day", byDay).set("raw", new byte[] {1});
        Row copy = row.copy();
        assertThat(copy).isEqualTo(row).hasSameHashCodeAs(row);

        stop.set("name", "B");
        stops.clear();
        byDay.clear();

        assertThat(copy).hasToString("{stops: [{name: A}], by_day: {mo=[{name: A}]}, raw: 1 bytes}");
        assertThat(copy).isNotEqualTo(row);
    }

    @Test
    void shape_ofTwoSchemas_hasTheFieldsOfBothAtEveryDepth() {
        Struct more = new Struct(List.of(
                Field.optional("city", FieldType.TEXT),
                Field.optional(
                        "stops", new ListOf(new Struct(List.of(Field.optional("eta", FieldType.TIMESTAMP))), true)),
                Field.optional("id", FieldType.TEXT)));
        RowShape both = RowShape.of(RIDE, more);
        assertThat(both.names()).containsExactly("id", "stops", "by_day", "raw", "city");
        assertThat(both.within("stops").names()).containsExactly("name", "eta");
        assertThat(both.indexOf("nothing")).isEqualTo(-1);
    }
}
