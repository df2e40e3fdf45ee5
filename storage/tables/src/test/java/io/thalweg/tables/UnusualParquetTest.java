package io.thalweg.tables;

import static io.thalweg.tables.TableReaderTest.read;
import static io.thalweg.tables.TableReaderTest.spec;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.thalweg.model.table.Materialization;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.parquet.crypto.ColumnEncryptionProperties;
import org.apache.parquet.crypto.FileEncryptionProperties;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.Util;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Parquet files that are valid, or almost, but that few writers write. */
@SuppressWarnings("NullAway.Init")
class UnusualParquetTest {
    private static final String SCHEMA =
            "message m { required int64 id; required double fare; required binary city (STRING); repeated int64 ids; }";
    private static final String SPEC = """
            source: {parquet: "%s"}
            entities: [{name: rider, field: id, type: int64}]
            features: [fare, {name: city, type: string}]
            """;
    private static final byte[] KEY = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    @TempDir
    Path folder;

    private static List<Consumer<Group>> rows() {
        List<Consumer<Group>> rows = new ArrayList<>();
        for (int row = 0; row < 40; row++) {
            int at = row;
            rows.add(group ->
                    group.append("id", at % 3L).append("fare", at % 2 + 0.5).append("city", "c" + at % 4));
        }
        return rows;
    }

    private static FileEncryptionProperties encryption(boolean plaintextFooter, String... columns) {
        Map<ColumnPath, ColumnEncryptionProperties> encrypted = new java.util.HashMap<>();
        for (String column : columns) {
            encrypted.put(
                    ColumnPath.get(column),
                    ColumnEncryptionProperties.builder(column)
                            .withKey(KEY)
                            .withKeyID("k")
                            .build());
        }
        var properties = FileEncryptionProperties.builder(KEY);
        if (columns.length > 0) {
            properties.withEncryptedColumns(encrypted);
        }
        return (plaintextFooter ? properties.withPlaintextFooter() : properties).build();
    }

    private String problem(FileEncryptionProperties encryption, String text) throws IOException {
        ParquetFiles.plain().write(folder.resolve("part-0.parquet"), SCHEMA, encryption, rows());
        return problem(text);
    }

    private String problem(String text) {
        Materialization spec = spec(folder, text);
        return String.valueOf(catchThrowableOfType(Exception.class, () -> TableFiles.of(spec, TablePart.ALL))
                .getMessage());
    }

    @Test
    void of_encryptedColumns_areNamed() throws IOException {
        Path file = folder.resolve("part-0.parquet");

        assertThat(problem(encryption(true, "fare", "city", "ids"), SPEC))
                .contains("features[0]: column fare of " + file
                        + " is encrypted, and encryption is not supported in this version; write the table without"
                        + " encryption, or leave the column out")
                .contains("features[1]: column city of " + file + " is encrypted")
                .doesNotContain("ids", "damaged");
        assertThat(problem(encryption(true), SPEC))
                .isEqualTo(file + ": columns id, fare, city, ids are encrypted, and encryption is not supported in this"
                        + " version; write it without encryption");
        assertThat(problem(encryption(false, "fare"), SPEC))
                .isEqualTo(file + ": its footer and all its columns are encrypted, and encryption is not supported in"
                        + " this version; write it without encryption");
    }

    @Test
    void of_encryptedColumnInTheSecondFile_isNamed() throws IOException {
        ParquetFiles.plain().write(folder.resolve("part-0.parquet"), SCHEMA, rows());
        Path file = folder.resolve("part-1.parquet");
        ParquetFiles.plain().write(file, SCHEMA, encryption(true, "fare"), rows());

        assertThat(problem(SPEC)).contains("features[0]: column fare of " + file + " is encrypted");
    }

    @Test
    void read_encryptedColumnThatIsNotNeeded_isLeftOut() throws IOException {
        ParquetFiles.plain().write(folder.resolve("part-0.parquet"), SCHEMA, encryption(true, "city"), rows());
        Materialization spec = spec(folder, SPEC.replace(", {name: city, type: string}", ""));

        assertThat(read(spec, TableFiles.of(spec, TablePart.ALL), 7).good).hasSize(40);
    }

    /** Writers before 2013 did not count the header of a dictionary (PARQUET-816). */
    @ParameterizedTest
    @ValueSource(strings = {"parquet-mr", "parquet-mr version 1.2.8 (build 1)", "parquet-mr version 1.2.5-cdh4"})
    void read_sizesWithoutTheHeadersOfDictionaries_areRead(String createdBy) throws IOException {
        Path file = ParquetFiles.plain().write(folder.resolve("part-0.parquet"), SCHEMA, rows());
        Materialization spec = spec(folder, SPEC);
        var expected = read(spec, TableFiles.of(spec, TablePart.ALL), 7).good;
        byte[] whole = Files.readAllBytes(file);
        int end = whole.length
                - 8
                - ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN).getInt(whole.length - 8);
        FileMetaData footer = Util.readFileMetaData(new ByteArrayInputStream(whole, end, whole.length - 8 - end));
        for (var chunk : footer.getRow_groups().get(0).getColumns()) {
            ColumnMetaData column = chunk.getMeta_data();
            if (column.isSetDictionary_page_offset()) {
                ByteArrayInputStream page = new ByteArrayInputStream(whole);
                page.skip(column.getDictionary_page_offset());
                int before = page.available();
                Util.readPageHeader(page);
                column.setTotal_compressed_size(column.getTotal_compressed_size() - before + page.available());
            }
        }
        footer.setCreated_by(createdBy);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(whole, 0, end);
        Util.writeFileMetaData(footer, out);
        int length = out.size() - end;
        out.write(ByteBuffer.allocate(4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(length)
                .array());
        out.write(whole, whole.length - 4, 4);
        Files.write(file, out.toByteArray());

        var rows = read(spec, TableFiles.of(spec, TablePart.ALL), 7);

        assertThat(whole).as("the sizes were smaller").isNotEqualTo(out.toByteArray());
        assertThat(rows.good).isEqualTo(expected).hasSize(40);
    }

    @Test
    void of_repeatedColumnsWithoutAList_areReadOrRefusedButNeverSuggested() throws IOException {
        Path file = folder.resolve("part-0.parquet");
        String schema = "message m { repeated int32 numbers; repeated binary names (STRING); required group in {"
                + " repeated int32 numbers; repeated binary names (STRING); } optional group tags (LIST) {"
                + " repeated group list { optional binary element (STRING); } } %s}";
        ParquetFiles.plain().write(file, schema.formatted("required int64 id; "), List.of(group -> {
            group.append("id", 7L).append("numbers", 1).append("numbers", 2);
            group.addGroup("in").append("numbers", 3);
        }));
        Materialization spec = spec(folder, """
                source: {parquet: "%s"}
                entities: [{name: rider, field: id, type: int64}]
                features: [{name: n, field: numbers, type: double_list}, {name: i, field: in.numbers, type: double_list}]
                """);

        assertThat(read(spec, TableFiles.of(spec, TablePart.ALL), 7).good)
                .singleElement()
                .extracting(TableReaderTest.Read::values)
                .isEqualTo(Arrays.asList(List.of(1.0, 2.0), List.of(3.0)));
        String unfit = problem("""
                source: {parquet: "%s"}
                entities: [{name: rider, field: numbers, type: int64}]
                features:
                  - {name: a, field: names, type: double_list}
                  - {name: b, field: in.names, type: string}
                  - {name: c, field: nams, type: string}
                  - {name: d, field: numbrs, type: double_list}
                  - {name: e, field: in.namez, type: string}
                """);
        String list = " is a map, a struct, or a list of something else than numbers, which is not supported in this"
                + " version; name a column of one value, such as id";
        assertThat(unfit)
                .contains("entities[0].field: column numbers of " + file
                        + " is a list of numbers, which only a feature can be; name a column of one value, such as id")
                .contains("features[0]: column names of " + file + list)
                .contains("features[1]: column in.names of " + file + list)
                .contains("has a column nams;", "has a column in.namez;")
                .contains("has a column numbrs; did you mean 'numbers'?")
                .doesNotContain("'names'", "'in.names'", "element");
        ParquetFiles.plain().write(file, schema.formatted(""), List.of(group -> group.addGroup("in")));
        assertThat(problem(SPEC.replace("field: id", "field: names")))
                .contains("not supported in this version; the file has no column of one value");
    }
}
