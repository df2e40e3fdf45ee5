package io.thalweg.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.Struct;
import io.thalweg.tables.ParquetFileBuilder.Compression;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.apache.parquet.io.LocalInputFile;
import org.apache.parquet.io.LocalOutputFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ParquetFooterTest {
    private static final Struct SCHEMA = new Struct(List.of(Field.required("id", FieldType.INT64)));

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void begin() {
        file = folder.resolve("rows.parquet");
    }

    private void write(Compression compression) throws IOException {
        ParquetFileBuilder builder =
                new ParquetFileBuilder(new LocalOutputFile(file), ParquetSchemas.of(SCHEMA), compression, 10);
        for (int i = 0; i < 3; i++) {
            builder.add(TableValues.columns(SCHEMA, List.of(List.of(1L), List.of(2L))));
        }
        builder.finish();
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    void rows_severalRowGroups_areAddedUp(Compression compression) throws IOException {
        write(compression);

        assertThat(ParquetFooter.rows(new LocalInputFile(file))).isEqualTo(6);
    }

    @Test
    void rows_everyTruncatedFile_isAnIoException() throws IOException {
        write(Compression.NONE);
        byte[] whole = Files.readAllBytes(file);
        for (int length = 0; length < whole.length; length++) {
            Files.write(file, Arrays.copyOf(whole, length));
            assertUnreadable();
        }
    }

    @Test
    void rows_damagedFooter_isAnIoException() throws IOException {
        write(Compression.NONE);
        byte[] bytes = Files.readAllBytes(file);
        Arrays.fill(bytes, bytes.length - 60, bytes.length - 8, (byte) 0x77);
        Files.write(file, bytes);

        assertUnreadable();
    }

    private void assertUnreadable() {
        assertThatThrownBy(() -> ParquetFooter.rows(new LocalInputFile(file)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("not a whole Parquet file");
    }
}
