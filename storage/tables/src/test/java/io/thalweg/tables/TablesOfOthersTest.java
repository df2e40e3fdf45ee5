package io.thalweg.tables;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.model.table.Materialization;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables that Spark and pyarrow wrote, with {@code write_tables.py} beside them. */
class TablesOfOthersTest {
    private static final String SPEC = """
            source: {parquet: "%s", partitions: [dt, city]}
            entities: [{name: rider, field: id, type: int64}]
            features:
              - {name: tiny, type: int64}
              - {name: small, type: int64}
              - {name: whole, type: int64}
              - {name: big, type: int64}
              - single
              - real
              - money
              - wide
              - {name: vip, type: bool}
              - {name: home, type: string}
              - {name: day, type: int64}
              - {name: at, type: int64}
              - {name: embedding, type: double_list}
              - {name: visits, type: double_list}
              - {name: rating, field: stats.rating}
              - {name: city, type: string}
            event_time: {field: dt, unit: iso8601}
            """;

    private static TableReaderTest.Read expected(int n) {
        String date = n < 4 ? "2026-11-19" : "2026-11-20";
        @Nullable String city = n == 5 ? null : "New York";
        List<@Nullable Object> values = new ArrayList<>(Collections.nCopies(15, null));
        if (n != 3) {
            values = new ArrayList<>(List.of(
                    (long) n,
                    -100L * n,
                    100_000L * n,
                    1_000_000_000_000L * n,
                    n + 0.5,
                    n / 8.0,
                    n + 0.25,
                    1e15 * n + 0.125,
                    n % 2 == 0 ? 1L : 0L,
                    "Zürich " + n,
                    Instant.parse("2026-11-0" + n + "T00:00:00Z").toEpochMilli(),
                    Instant.parse("2026-11-20T0" + n + ":00:00.123Z").toEpochMilli(),
                    List.of((double) n, n / 4.0, -1.0),
                    Collections.nCopies(n - 1, (double) n),
                    n / 2.0));
        }
        values.add(city);
        return new TableReaderTest.Read(
                List.of((long) n), Instant.parse(date + "T00:00:00Z").toEpochMilli(), values);
    }

    @ParameterizedTest
    @ValueSource(strings = {"spark", "pyarrow"})
    void read_everyType_isWhatWasWritten(String writer) throws IOException, URISyntaxException {
        Path table = Path.of(Objects.requireNonNull(getClass().getResource("/tables/" + writer))
                .toURI());
        Materialization spec = TableReaderTest.spec(table, SPEC);

        TableReaderTest.Rows rows = TableReaderTest.read(spec, TableFiles.of(spec, TablePart.ALL), 2);

        assertThat(rows.bad).isEmpty();
        assertThat(rows.good)
                .containsExactlyInAnyOrder(expected(1), expected(2), expected(3), expected(4), expected(5));
    }
}
