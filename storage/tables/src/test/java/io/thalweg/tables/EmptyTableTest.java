package io.thalweg.tables;

import static io.thalweg.tables.TableReaderTest.read;
import static io.thalweg.tables.TableReaderTest.spec;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.model.table.Materialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files without rows, which writers leave behind, and tables of nothing else. */
@SuppressWarnings("NullAway.Init")
class EmptyTableTest {
    private static final String SCHEMA = "message m { required int64 id; optional double fare; }";
    private static final String PARQUET = """
            source: {parquet: "%s", partitions: [dt]}
            entities: [{name: rider, field: id, type: int64}]
            features: [fare]
            """;
    private static final String CSV = """
            source: {csv: "%s"}
            entities: [{name: rider, field: id, type: int64}]
            features: [fare]
            """;

    @TempDir
    Path folder;

    private static TablePart days(String... days) {
        return new TablePart(Map.of("dt", Set.of(days)), null, null);
    }

    @Test
    void of_parquetFilesWithoutRows_areSkippedAndNamed() throws IOException {
        Path day = Files.createDirectory(folder.resolve("dt=1"));
        Path nothing = Files.createFile(day.resolve("part-0.parquet"));
        Path noRows = ParquetFiles.plain().write(day.resolve("part-1.parquet"), SCHEMA, List.of());
        ParquetFiles.plain().write(day.resolve("part-2.parquet"), SCHEMA, List.of(row -> row.append("id", 7L)));
        Materialization spec = spec(folder, PARQUET);

        TableFiles files = TableFiles.of(spec, TablePart.ALL);

        assertThat(files.empty()).containsExactly(nothing, noRows);
        assertThat(read(spec, files, 10).good).hasSize(1);
    }

    @Test
    void of_csvFilesWithoutRows_areSkippedAndNamed() throws IOException {
        Path header = Files.writeString(folder.resolve("a.csv"), "id,fare\n");
        Path nothing = Files.createFile(folder.resolve("b.csv"));
        Path compressed = Files.createFile(folder.resolve("c.csv.gz"));
        Path packed = folder.resolve("d.csv.gz");
        new GZIPOutputStream(Files.newOutputStream(packed)).close();
        Files.writeString(folder.resolve("e.csv"), "id,fare\n7,1.5\n");
        Materialization spec = spec(folder, CSV);

        TableFiles files = TableFiles.of(spec, TablePart.ALL);

        assertThat(files.empty()).containsExactly(header, nothing, compressed, packed);
        assertThat(read(spec, files, 10).good).hasSize(1);
    }

    @Test
    void of_tableThatWasWrittenWithoutRows_isEmpty() throws IOException {
        Materialization spec = spec(folder, PARQUET);
        Path day = Files.createDirectory(folder.resolve("dt=2026-11-28"));

        assertThat(TableFiles.of(spec, days("2026-11-28")).splits()).isEmpty();
        assertThat(TableFiles.of(spec, days("2026-11-28", "2026-11-29")).splits())
                .isEmpty();
        Files.createFile(day.resolve("_SUCCESS"));
        assertThat(TableFiles.of(spec, days("2026-11-28")).splits()).isEmpty();
        assertThat(TableFiles.of(spec, TablePart.ALL).splits()).isEmpty();
        Materialization file = spec(Files.createFile(folder.resolve("stats.csv")), CSV);
        assertThat(TableFiles.of(file, TablePart.ALL).splits()).isEmpty();
    }

    @Test
    void of_tableThatWasNotWritten_isRefused() throws IOException {
        Materialization spec = spec(folder, PARQUET);

        assertThatThrownBy(() -> TableFiles.of(spec, TablePart.ALL))
                .isInstanceOf(UnfitTableException.class)
                .hasMessageContaining(folder + " is an empty folder; is it the folder of the table");
        Files.createDirectory(folder.resolve("dt=2026-11-28"));
        assertThatThrownBy(() -> TableFiles.of(spec, days("2026-11-29")))
                .isInstanceOf(UnfitTableException.class)
                .hasMessageContaining(folder + " holds no row of dt=2026-11-29");
    }
}
