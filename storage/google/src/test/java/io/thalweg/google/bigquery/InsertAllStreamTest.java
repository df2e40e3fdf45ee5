package io.thalweg.google.bigquery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.DynamicMessage;
import io.grpc.Status;
import io.thalweg.devkit.google.BigQueryFake;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Timestamp;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.write.ByteRecordWriter;
import io.thalweg.testing.Await;
import io.thalweg.testing.Seeds;
import io.thalweg.warehouse.EncodedRows;
import io.thalweg.warehouse.EncodedRows.Origin;
import io.thalweg.warehouse.RetryAccount;
import io.thalweg.warehouse.RetryCause;
import io.thalweg.warehouse.RowStream;
import io.thalweg.warehouse.RowStream.Refused;
import io.thalweg.warehouse.StreamTable;
import io.thalweg.warehouse.TableMismatchException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Streams of {@code tabledata.insertAll}, against a fake service that fails on demand. */
class InsertAllStreamTest {
    private static final String TABLE = "project.rides.events";
    private static final Struct ROWS = new Struct(List.of(
            Field.required("id", FieldType.INT64),
            Field.optional("city", FieldType.TEXT),
            Field.optional("at", new Timestamp(true)),
            Field.optional("fares", new MapOf(new FieldType.Text(), FieldType.INT64, true))));

    private final RetryAccount retries = new RetryAccount();
    private BigQueryFake service;
    private InsertAllAddress address;

    @BeforeEach
    void start() throws Exception {
        service = BigQueryFake.start();
        service.createTable(TABLE, BigQueryColumns.of(ROWS), true);
        address = address("events");
    }

    private InsertAllAddress address(String table) {
        return new InsertAllAddress(new BigQueryAddress(
                "project",
                "rides",
                table,
                false,
                new BigQueryAddress.Access(null, service.endpoint(), service.restEndpoint())));
    }

    @AfterEach
    void stop() {
        service.close();
    }

    private EncodedRows rows(int from, int to) {
        ByteRecordWriter encoder = address.encoder(ROWS);
        EncodedRows.Builder rows = new EncodedRows.Builder();
        for (int id = from; id < to; id++) {
            byte[] city = ("city \"" + id + "\"").getBytes(StandardCharsets.UTF_8);
            encoder.begin();
            encoder.int64(0, id);
            encoder.bytes(1, city, 0, city.length);
            encoder.int64(2, id * 1_000_001L);
            encoder.beginMap(3);
            for (int entry = 0; entry < id % 3; entry++) {
                encoder.bytes(4, city, 0, 1 + entry);
                encoder.int64(5, entry);
            }
            encoder.endMap(3);
            encoder.end();
            // A function produces two rows per message.
            rows.add(encoder.data(), encoder.from(), encoder.to(), new Origin("rides", 0, id / 2, 0));
        }
        return rows.take();
    }

    private List<Long> ids() {
        return service.rows(TABLE).stream()
                .map(row -> (Long) value(row, "id"))
                .sorted()
                .toList();
    }

    private static Object value(DynamicMessage row, String field) {
        return row.getField(row.getDescriptorForType().findFieldByName(field));
    }

    private static List<Long> upTo(long end) {
        return LongStream.range(0, end).boxed().toList();
    }

    private static List<Refused> refused(CompletableFuture<List<Refused>> answer) throws Exception {
        return Await.get(answer);
    }

    @Test
    void append_rowsOfAllTypes_areTheirValues() throws Exception {
        try (StreamTable table = address.open(ROWS);
                RowStream stream = table.stream(retries::add)) {
            assertThat(refused(stream.append(rows(0, 10), 2, 7))).isEmpty();

            assertThat(ids()).containsExactly(2L, 3L, 4L, 5L, 6L);
            DynamicMessage row = service.rows(TABLE).get(3);
            assertThat(value(row, "city")).isEqualTo("city \"5\"");
            assertThat(value(row, "at")).isEqualTo(5_000_005L);
            assertThat((List<?>) value(row, "fares"))
                    .extracting(entry -> value((DynamicMessage) entry, "key"))
                    .containsExactly("c", "ci");
            assertThat(stream.cut()).isEmpty();
        }
    }

    /** Six, unless more are requested. */
    static LongStream fewSeeds() {
        return Seeds.seeds();
    }

    /** For a minute, the service recognizes the ids of rows that are sent again. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("fewSeeds")
    void append_randomFaults_loseAndRepeatNothing(long seed) throws Exception {
        Random random = new Random(seed);
        service.faults().refuse(text -> text.contains("7"));
        List<CompletableFuture<List<Refused>>> answers = new ArrayList<>();
        List<Long> wrong = new ArrayList<>();
        try (StreamTable table = address.open(ROWS);
                RowStream stream = table.stream(retries::add)) {
            for (int i = 0; i < 10; i++) {
                Status passing = List.of(Status.UNAVAILABLE, Status.INTERNAL, Status.RESOURCE_EXHAUSTED)
                        .get(random.nextInt(3));
                switch (random.nextInt(4)) {
                    case 0 -> service.faults().beforeAppend(passing);
                    case 1 -> service.faults().afterAppend(passing);
                    default -> {
                        // Nothing goes wrong.
                    }
                }
                answers.add(stream.append(rows(10 * i, 10 * i + 10), 0, 10));
            }
            for (int i = 0; i < answers.size(); i++) {
                for (Refused each : refused(answers.get(i))) {
                    assertThat(each.why()).contains("refused on demand");
                    wrong.add(10L * i + each.row());
                }
            }
        }
        assertThat(wrong).allMatch(id -> String.valueOf(id).contains("7")).hasSize(19);
        assertThat(ids())
                .isEqualTo(upTo(100).stream().filter(id -> !wrong.contains(id)).toList());
    }

    @Test
    void append_whatCannotPass_breaksTheStream() throws Exception {
        try (StreamTable table = address.open(ROWS);
                RowStream stream = table.stream(retries::add)) {
            service.faults().beforeAppend(Status.PERMISSION_DENIED.withDescription("no access"));
            CompletableFuture<List<Refused>> answer = stream.append(rows(0, 3), 0, 3);

            assertThatThrownBy(() -> refused(answer))
                    .isInstanceOf(ExecutionException.class)
                    .hasMessageContaining("project.rides.events")
                    .hasMessageContaining("no access");
            assertThatThrownBy(() -> refused(stream.append(rows(3, 4), 0, 1))).hasMessageContaining("no access");
        }
    }

    @Test
    void append_serviceIsAway_isSentAgainWhenItIsBack() throws Exception {
        try (StreamTable table = address.open(ROWS);
                RowStream stream = table.stream(retries::add)) {
            service.faults()
                    .beforeAppend(
                            Stream.generate(() -> Status.UNAVAILABLE).limit(3).toArray(Status[]::new));
            assertThat(refused(stream.append(rows(0, 3), 0, 3))).isEmpty();

            assertThat(ids()).isEqualTo(upTo(3));
            assertThat(retries.get(RetryCause.UNAVAILABLE)).isEqualTo(3);
            assertThat(retries.total()).isEqualTo(3);
        }
    }

    @Test
    void append_quotaFailureAndRefusedRows_areCountedByTheirCause() throws Exception {
        service.faults().refuse(text -> text.contains("city \"3\""));
        try (StreamTable table = address.open(ROWS);
                RowStream stream = table.stream(retries::add)) {
            service.faults().beforeAppend(Status.RESOURCE_EXHAUSTED);
            assertThat(refused(stream.append(rows(10, 20), 0, 10))).isEmpty();
            service.faults().beforeAppend(Status.INTERNAL);
            assertThat(refused(stream.append(rows(20, 30), 0, 10))).isEmpty();
            assertThat(refused(stream.append(rows(0, 10), 0, 10))).hasSize(1);
        }
        assertThat(Stream.of(RetryCause.values()).map(retries::get)).containsExactly(1L, 0L, 1L, 1L);
    }

    @Test
    void open_missingTable_saysSo() {
        assertThatThrownBy(() -> address("none").open(ROWS))
                .isInstanceOf(TableMismatchException.class)
                .hasMessageContaining("project.rides.none of BigQuery is missing");
    }
}
