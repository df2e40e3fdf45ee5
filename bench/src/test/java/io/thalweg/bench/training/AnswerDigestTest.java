package io.thalweg.bench.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.records.columns.ColumnWriter;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.Struct;
import io.thalweg.tables.FlatTable;
import io.thalweg.tables.RowTable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AnswerDigestTest {
    private static final List<String> FEATURES = List.of("a", "b");
    private static final Struct SCHEMA = new Struct(List.of(
            Field.required("label", FieldType.INT64),
            Field.optional("a", FieldType.DOUBLE),
            Field.optional("b", FieldType.DOUBLE)));

    @TempDir
    private Path folder;

    private record Row(
            long label, @Nullable Double a, @Nullable Double b) {}

    private AnswerDigest digest(Row... rows) throws IOException {
        Path file = folder.resolve("answers.parquet");
        try (OutputStream out = Files.newOutputStream(file)) {
            FlatTable table = FlatTable.open(RowTable.Form.PARQUET, SCHEMA, out);
            ColumnWriter columns = new ColumnWriter(SCHEMA);
            for (Row row : rows) {
                columns.begin();
                columns.int64(0, row.label());
                put(columns, 1, row.a());
                put(columns, 2, row.b());
                columns.end();
            }
            table.add(columns.take());
            table.finish();
        }
        return AnswerDigest.of(file, "label", FEATURES);
    }

    private static void put(ColumnWriter columns, int column, @Nullable Double value) {
        if (value == null) {
            columns.absent(column);
        } else {
            columns.float64(column, value);
        }
    }

    @Test
    void difference_otherOrderOfRows_isNone() throws IOException {
        AnswerDigest expected = digest(new Row(1, 0.5, 0.0), new Row(2, 0.25, null));
        AnswerDigest found = digest(new Row(2, 0.25, null), new Row(1, 0.5, 0.0));

        assertThat(found.difference(expected, FEATURES)).isEmpty();
        assertThat(found.nonZero()).isEqualTo(2);
    }

    @Test
    void difference_anotherValueOrLabel_namesTheFeature() throws IOException {
        AnswerDigest expected = digest(new Row(1, 0.5, 0.0), new Row(2, 0.25, null));

        assertThat(digest(new Row(1, 0.5, 0.0), new Row(2, 0.25, 0.0)).difference(expected, FEATURES))
                .isEqualTo("1 of 2 features differ, such as b");
        assertThat(digest(new Row(2, 0.5, 0.0), new Row(1, 0.25, null)).difference(expected, FEATURES))
                .isEqualTo("2 of 2 features differ, such as a");
        assertThat(digest(new Row(1, 0.5, 0.0)).difference(expected, FEATURES)).isEqualTo("1 labels instead of 2");
    }
}
