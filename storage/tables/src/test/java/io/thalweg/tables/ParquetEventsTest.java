package io.thalweg.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.formats.DeadLetter;
import io.thalweg.formats.EventColumns;
import io.thalweg.formats.Projection;
import io.thalweg.formats.view.BatchReader;
import io.thalweg.formats.view.EventOutcome;
import io.thalweg.formats.view.EventVerdict;
import io.thalweg.model.Definitions;
import io.thalweg.model.field.FieldPath;
import io.thalweg.model.source.Source;
import io.thalweg.model.view.FeatureView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.apache.parquet.example.data.Group;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ParquetEventsTest {
    private static final long TIME_US = 1_773_500_400_123_456L; // 2026-03-14T15:00:00.123456Z
    private static final String SCHEMA = """
            message order {
              required int64 at (TIMESTAMP(MICROS,true));
              required int64 local (TIMESTAMP(MICROS,false));
              required group customer { optional binary id (STRING); }
              required double amount;
              optional int64 seen (TIMESTAMP(MILLIS,true));
            }
            """;

    @TempDir
    Path folder;

    private Path orders(int count) throws IOException {
        List<Consumer<Group>> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int order = i;
            rows.add(row -> {
                row.add("at", TIME_US + order * 1_000_000L);
                row.add("local", TIME_US + order * 1_000_000L);
                Group customer = row.addGroup("customer");
                if (order != 3) {
                    customer.add("id", "c" + order % 2);
                }
                row.add("amount", order + 0.5);
            });
        }
        return ParquetFiles.plain().write(folder.resolve("orders.parquet"), SCHEMA, rows);
    }

    private static FeatureView view(String format, String time) {
        return Definitions.parse("""
                        apiVersion: thalweg/v1
                        kind: FeatureView
                        name: orders
                        source: {topic: orders, format: %s, event_time: {%s}}
                        entities: [{name: customer, field: customer.id, type: string}]
                        measures: [{name: revenue, sum: amount}]
                        windows: {sizes: [1m], every: 1m}
                        """.formatted(format, time), "orders.yaml")
                .views()
                .get(0);
    }

    private static List<EventVerdict> read(Path file, FeatureView view) throws IOException {
        List<EventVerdict> verdicts = new ArrayList<>();
        BatchReader.of(List.of(view), null, ParquetEvents::open).read(file, verdicts::add);
        return verdicts;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "json | field: at, unit: iso8601                 | 1773500400123",
                "json | field: at, unit: ms                      | 1773500400123",
                "json | field: at, unit: us                      | 1773500400123",
                "json | field: at, unit: ns                      | 1773500400123",
                "csv  | field: at, unit: s                       | 1773500400000",
                "csv  | 'field: local, unit: iso8601, zone: UTC' | 1773500400123",
                "json | 'field: local, unit: iso8601, zone: America/New_York' | 1773514800123",
                "json | field: local, unit: ms                   | 1773500400123"
            })
    void next_timestampColumn_isTheEventTimeInWhateverUnitTheViewReads(String format, String time, long expectedMs)
            throws IOException {
        EventVerdict first = read(orders(1), view(format, time)).get(0);

        assertThat(first.outcome()).isEqualTo(EventOutcome.ACCEPTED);
        assertThat(first.eventTimeMs()).isEqualTo(expectedMs);
    }

    @Test
    void next_severalRowGroups_readsAllRowsAndReportsTheBadOneByItsNumber() throws IOException {
        List<EventVerdict> verdicts = read(orders(2_500), view("json", "field: at, unit: iso8601"));

        assertThat(verdicts).hasSize(2_500);
        assertThat(verdicts.stream().filter(each -> each.outcome() == EventOutcome.ACCEPTED))
                .hasSize(2_499);
        DeadLetter letter = Objects.requireNonNull(verdicts.get(3).deadLetter());
        assertThat(letter.offset()).isEqualTo(3);
        assertThat(letter.detail()).contains("customer.id");
        assertThat(Objects.requireNonNull(verdicts.get(2_499).group())).isEqualTo(List.of("c1"));
    }

    @Test
    void next_projectionWithoutViews_timesAreText() throws IOException {
        Path file = orders(1);
        assertThat(ParquetEvents.fields(file).stream().map(FieldPath::text))
                .containsExactly("at", "local", "customer.id", "amount", "seen");
        Projection projection = Projection.of(Source.Format.JSON, ParquetEvents.fields(file));
        EventColumns row = new EventColumns(projection);
        try (ParquetEvents rows = ParquetEvents.open(file, projection, UnaryOperator.identity())) {
            assertThat(rows.next(row)).isTrue();
            assertThat(row.string(0, 0)).isEqualTo("2026-03-14T15:00:00.123Z");
            assertThat(row.string(0, 1)).isEqualTo("2026-03-14T15:00:00.123");
            assertThat(row.shown(0, 3)).isEqualTo("0.5");
            assertThat(row.kind(0, 4).isAbsent()).isTrue();
            assertThat(rows.next(row)).isFalse();
        }
    }

    @Test
    void isEmpty_fileWithoutRows_isTrue() throws IOException {
        assertThat(ParquetEvents.isEmpty(orders(1))).isFalse();
        assertThat(ParquetEvents.isEmpty(orders(0))).isTrue();
        assertThat(read(orders(0), view("json", "field: at, unit: ms"))).isEmpty();
    }

    @Test
    void open_textFile_namesIt() throws IOException {
        Path file = Files.writeString(folder.resolve("orders.parquet"), "order_id,at\n1,2\n");
        assertThatThrownBy(() -> read(file, view("csv", "field: at, unit: ms")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("orders.parquet")
                .hasMessageContaining("is not a Parquet file");
    }
}
