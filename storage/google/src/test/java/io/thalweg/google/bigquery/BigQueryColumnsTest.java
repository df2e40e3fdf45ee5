package io.thalweg.google.bigquery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import java.util.List;
import org.junit.jupiter.api.Test;

class BigQueryColumnsTest {
    @Test
    void createTable_allTypes_isAStatement() {
        Struct rider =
                new Struct(List.of(Field.required("id", FieldType.UUID), Field.optional("born", FieldType.DATE)));
        Struct rows = new Struct(List.of(
                Field.required("id", FieldType.INT32),
                Field.optional("fare", new Decimal(12, 2)),
                Field.optional("exact", new Decimal(38, 20)),
                Field.optional("share", FieldType.FLOAT),
                Field.optional("rider", rider),
                Field.optional("stops", new ListOf(FieldType.TEXT, true)),
                Field.optional("tags", new MapOf(FieldType.TEXT, FieldType.INT64, false)),
                Field.required("at", FieldType.TIMESTAMP),
                Field.optional("city_time", FieldType.LOCAL_TIMESTAMP),
                Field.optional("opens", FieldType.TIME),
                Field.optional("vip", FieldType.BOOL),
                Field.optional("raw", FieldType.BYTES)));

        assertThat(BigQueryDdl.createTable("my-project.rides.events", rows)).isEqualToNormalizingNewlines("""
                CREATE TABLE `my-project.rides.events` (
                  `id` INT64 NOT NULL,
                  `fare` NUMERIC,
                  `exact` BIGNUMERIC,
                  `share` FLOAT64,
                  `rider` STRUCT<`id` STRING NOT NULL, `born` DATE>,
                  `stops` ARRAY<STRING>,
                  `tags` ARRAY<STRUCT<`key` STRING NOT NULL, `value` INT64>>,
                  `at` TIMESTAMP NOT NULL,
                  `city_time` DATETIME,
                  `opens` TIME,
                  `vip` BOOL,
                  `raw` BYTES
                );
                """);
    }

    @Test
    void of_whatBigQueryCannotName_isRefused() {
        refused(new Struct(List.of(Field.required("a-b", FieldType.INT32))), "'a-b' is not a name");
        refused(
                new Struct(List.of(Field.required("city", FieldType.TEXT), Field.required("City", FieldType.TEXT))),
                "'city' and 'City' are one column");
        refused(
                new Struct(List.of(Field.required("grid", new ListOf(new ListOf(FieldType.TEXT, true), true)))),
                "'grid' is a list of lists");
        refused(new Struct(List.of(Field.required("empty", new Struct(List.of())))), "'empty' has no fields");
    }

    private static void refused(Struct rows, String message) {
        assertThatThrownBy(() -> BigQueryColumns.of(rows))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining(message);
    }
}
