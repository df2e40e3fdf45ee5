package io.thalweg.google.bigquery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.bigquery.storage.v1.TableFieldSchema;
import com.google.cloud.bigquery.storage.v1.TableFieldSchema.Mode;
import com.google.cloud.bigquery.storage.v1.TableSchema;
import com.google.protobuf.DynamicMessage;
import io.grpc.Status;
import io.thalweg.devkit.google.BigQueryFake;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.write.ByteRecordWriter;
import io.thalweg.testing.Await;
import io.thalweg.testing.Seeds;
import io.thalweg.warehouse.EncodedRows;
import io.thalweg.warehouse.EncodedRows.Origin;
import io.thalweg.warehouse.LostCommitException;
import io.thalweg.warehouse.RetryAccount;
import io.thalweg.warehouse.RetryCause;
import io.thalweg.warehouse.RowStream;
import io.thalweg.warehouse.RowStream.Refused;
import io.thalweg.warehouse.StreamCommit;
import io.thalweg.warehouse.StreamTable;
import io.thalweg.warehouse.TableMismatchException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Streams through Google's own client, against a fake service that fails on demand. */
class StorageWriteStreamTest {
    private static final String TABLE = "project.rides.events";
    private static final Struct ROWS =
            new Struct(List.of(Field.required("id", FieldType.INT64), Field.optional("city", FieldType.TEXT)));

    private final RetryAccount retries = new RetryAccount();
    private BigQueryFake service;

    @BeforeEach
    void start() throws Exception {
        service = BigQueryFake.start();
        service.createTable(TABLE, BigQueryColumns.of(ROWS), true);
    }

    @AfterEach
    void stop() {
        service.close();
    }

    private BigQueryAddress address(boolean exactlyOnce) {
        return new BigQueryAddress(
                "project",
                "rides",
                "events",
                exactlyOnce,
                new BigQueryAddress.Access(null, service.endpoint(), service.restEndpoint()));
    }

    private static EncodedRows rows(BigQueryAddress address, int from, int to) {
        ByteRecordWriter encoder = address.encoder(ROWS);
        EncodedRows.Builder rows = new EncodedRows.Builder();
        for (int id = from; id < to; id++) {
            byte[] city = ("city " + id).getBytes(StandardCharsets.UTF_8);
            encoder.begin();
            encoder.int64(0, id);
            encoder.bytes(1, city, 0, city.length);
            encoder.end();
            rows.add(encoder.data(), encoder.from(), encoder.to(), new Origin("rides", 0, id, 0));
        }
        return rows.take();
    }

    private List<Long> ids() {
        return service.rows(TABLE).stream().map(StorageWriteStreamTest::id).toList();
    }

    private static long id(DynamicMessage row) {
        return (Long) row.getField(row.getDescriptorForType().findFieldByName("id"));
    }

    private static List<Long> upTo(int end) {
        return IntStream.range(0, end).mapToObj(i -> (long) i).toList();
    }

    private static List<Refused> refused(CompletableFuture<List<Refused>> answer) throws Exception {
        return Await.get(answer);
    }

    @Test
    void exactlyOnce_rowsAreVisibleAfterTheCommit() throws Exception {
        BigQueryAddress address = address(true);
        try (StreamTable table = address.open(ROWS);
                RowStream stream = table.stream(retries::add)) {
            assertThat(refused(stream.append(rows(address, 0, 10), 0, 10))).isEmpty();
            StreamCommit first = stream.cut().orElseThrow();
            assertThat(refused(stream.append(rows(address, 10, 15), 0, 5))).isEmpty();
            assertThat(service.rowCount(TABLE)).isZero();

            table.commit(first);
            table.commit(first);
            service.faults().beforeFlush(Status.ALREADY_EXISTS);
            table.commit(first);
            assertThat(ids()).isEqualTo(upTo(10));

            table.commit(stream.cut().orElseThrow());
            assertThat(ids()).isEqualTo(upTo(15));
            assertThat(stream.cut()).isEmpty();
            table.commit(first);
            assertThatThrownBy(() -> table.requireNothingBehind(first))
                    .isInstanceOf(LostCommitException.class)
                    .hasMessageContaining("older than the table");
        }
    }

    @Test
    void commit_ofAStreamThatEnds_finalizesItAndOlderCheckpointsAreRefused() throws Exception {
        BigQueryAddress address = address(true);
        try (StreamTable table = address.open(ROWS);
                RowStream stream = table.stream(retries::add)) {
            assertThat(refused(stream.append(rows(address, 0, 10), 0, 10))).isEmpty();
            StreamCommit last = stream.cut().orElseThrow();
            table.commit(last);
            table.requireNothingBehind(last);

            table.commit(last.ending());
            table.commit(last.ending());

            assertThat(service.streamsFinalized()).isEqualTo(1);
            assertThat(ids()).isEqualTo(upTo(10));
            assertThatThrownBy(() -> table.requireNothingBehind(last))
                    .isInstanceOf(LostCommitException.class)
                    .hasMessageContaining("was given up");
            table.commit(new StreamCommit("projects/project/datasets/rides/tables/events/streams/gone", 3).ending());
        }
    }

    @Test
    void atLeastOnce_rowsAreVisibleAtOnce() throws Exception {
        BigQueryAddress address = address(false);
        try (StreamTable table = address.open(ROWS);
                RowStream stream = table.stream(retries::add)) {
            assertThat(refused(stream.append(rows(address, 0, 10), 2, 7))).isEmpty();

            assertThat(ids()).containsExactly(2L, 3L, 4L, 5L, 6L);
            assertThat(stream.cut()).isEmpty();
            assertThat(service.streamsMade()).isZero();
        }
    }

    /** Four, unless more are requested: the client takes half a second or more to reconnect. */
    static LongStream fewSeeds() {
        return Seeds.seeds();
    }

    /** Answers are lost, connections end before and after the work, and quotas are exceeded. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("fewSeeds")
    void exactlyOnce_randomFaults_loseAndRepeatNothing(long seed) throws Exception {
        Random random = new Random(seed);
        BigQueryAddress address = address(true);
        service.faults().refuse(text -> text.endsWith("7") && text.hashCode() % 3 == 0);
        List<Integer> wrong = new ArrayList<>();
        int rows = 0;
        try (StreamTable table = address.open(ROWS);
                RowStream stream = table.stream(retries::add)) {
            for (int checkpoint = 0; checkpoint < 2; checkpoint++) {
                List<CompletableFuture<List<Refused>>> answers = new ArrayList<>();
                List<Integer> begins = new ArrayList<>();
                for (int i = 0; i < 6; i++) {
                    fail(random);
                    int size = 1 + random.nextInt(30);
                    begins.add(rows);
                    answers.add(stream.append(rows(address, rows, rows + size), 0, size));
                    rows += size;
                }
                for (int i = 0; i < answers.size(); i++) {
                    int begin = begins.get(i);
                    refused(answers.get(i)).forEach(each -> wrong.add(begin + each.row()));
                }
                table.commit(stream.cut().orElseThrow());
            }
        }
        List<Long> expected =
                upTo(rows).stream().filter(id -> !wrong.contains(id.intValue())).toList();
        assertThat(ids()).isEqualTo(expected);
        assertThat(wrong).allMatch(id -> id % 10 == 7);
    }

    private void fail(Random random) {
        Status passing = List.of(Status.UNAVAILABLE, Status.ABORTED, Status.INTERNAL)
                .get(random.nextInt(3))
                .withDescription("on demand");
        switch (random.nextInt(6)) {
            case 0 -> service.faults().beforeAppend(passing);
            case 1 -> service.faults().afterAppend(passing);
            default -> {
                // Nothing goes wrong.
            }
        }
    }

    @Test
    void atLeastOnce_faults_loseNothing() throws Exception {
        BigQueryAddress address = address(false);
        service.faults().refuse("city 3"::equals);
        try (StreamTable table = address.open(ROWS);
                RowStream stream = table.stream(retries::add)) {
            service.faults().beforeAppend(Status.UNAVAILABLE, Status.RESOURCE_EXHAUSTED);
            List<CompletableFuture<List<Refused>>> answers = Stream.of(0, 10, 20)
                    .map(from -> stream.append(rows(address, from, from + 10), 0, 10))
                    .toList();
            service.faults().afterAppend(Status.UNAVAILABLE);

            assertThat(refused(answers.get(0))).extracting(Refused::row).containsExactly(3);
            assertThat(refused(answers.get(1))).isEmpty();
            assertThat(refused(answers.get(2))).isEmpty();
            assertThat(ids())
                    .containsAll(upTo(30).stream().filter(id -> id != 3).toList())
                    .doesNotContain(3L);
        }
    }

    /** When a connection fails, Google's client reconnects and repeats requests automatically, for five minutes. */
    @Test
    void append_failures_areCountedByTheirCause() throws Exception {
        BigQueryAddress address = address(true);
        service.faults().refuse("city 3"::equals);
        try (StreamTable table = address.open(ROWS);
                RowStream stream = table.stream(retries::add)) {
            int begin = 10;
            for (Status failure : List.of(Status.RESOURCE_EXHAUSTED, Status.INTERNAL, Status.UNAVAILABLE)) {
                service.faults().beforeAppend(failure);
                assertThat(refused(stream.append(rows(address, begin, begin + 10), 0, 10)))
                        .isEmpty();
                begin += 10;
            }
            assertThat(refused(stream.append(rows(address, 0, 10), 0, 10))).hasSize(1);
        }
        assertThat(Stream.of(RetryCause.values()).map(retries::get)).containsExactly(1L, 0L, 0L, 1L);
    }

    @Test
    void rowBeyondTheLimit_isRefusedBeforeItIsSent() throws Exception {
        BigQueryAddress address = address(true);
        byte[] city = new byte[9_950_000];
        java.util.Arrays.fill(city, (byte) 'x');
        ByteRecordWriter encoder = address.encoder(ROWS);
        encoder.begin();
        encoder.int64(0, 1);
        encoder.bytes(1, city, 0, city.length);
        encoder.end();
        EncodedRows.Builder rows = new EncodedRows.Builder();
        rows.add(encoder.data(), encoder.from(), encoder.to(), new Origin("rides", 0, 0, 0));
        try (StreamTable table = address.open(ROWS);
                RowStream stream = table.stream(retries::add)) {
            assertThat(refused(stream.append(rows.take(), 0, 1)))
                    .singleElement()
                    .matches(Refused::tooLarge);
            assertThat(stream.cut()).isEmpty();
        }
    }

    @Test
    void whatCannotPass_breaksTheStream() throws Exception {
        BigQueryAddress address = address(true);
        try (StreamTable table = address.open(ROWS);
                RowStream stream = table.stream(retries::add)) {
            service.faults().beforeAppend(Status.PERMISSION_DENIED.withDescription("no access"));
            CompletableFuture<List<Refused>> answer = stream.append(rows(address, 0, 3), 0, 3);

            assertThatThrownBy(() -> refused(answer))
                    .isInstanceOf(ExecutionException.class)
                    .hasMessageContaining("no access");
            assertThatThrownBy(() -> refused(stream.append(rows(address, 3, 4), 0, 1)))
                    .hasMessageContaining("no access");
        }
    }

    @Test
    void commit_whoseAnswerIsLost_isRepeatedByTheClient() throws Exception {
        BigQueryAddress address = address(true);
        try (StreamTable table = address.open(ROWS);
                RowStream stream = table.stream(retries::add)) {
            assertThat(refused(stream.append(rows(address, 0, 10), 0, 10))).isEmpty();
            service.faults().beforeFlush(Status.UNAVAILABLE);
            service.faults().afterFlush(Status.UNAVAILABLE);
            table.commit(stream.cut().orElseThrow());

            assertThat(ids()).isEqualTo(upTo(10));
        }
    }

    @Test
    void open_otherColumns_namesAllDifferences() {
        service.createTable(
                TABLE,
                TableSchema.newBuilder()
                        .addFields(column("id", TableFieldSchema.Type.STRING, Mode.NULLABLE))
                        .addFields(column("day", TableFieldSchema.Type.DATE, Mode.REQUIRED))
                        .build(),
                true);

        assertThatThrownBy(() -> address(true).open(ROWS))
                .isInstanceOf(TableMismatchException.class)
                .hasMessageContaining("column id is STRING, and the rows have INT64")
                .hasMessageContaining("column city STRING is missing")
                .hasMessageContaining("column day is required");
    }

    @Test
    void open_missingTable_saysSo() {
        BigQueryAddress missing = new BigQueryAddress(
                "project",
                "rides",
                "none",
                true,
                new BigQueryAddress.Access(null, service.endpoint(), service.restEndpoint()));

        assertThatThrownBy(() -> missing.open(ROWS))
                .isInstanceOf(TableMismatchException.class)
                .hasMessageContaining("project.rides.none of BigQuery is missing");
    }

    private static TableFieldSchema column(String name, TableFieldSchema.Type type, Mode mode) {
        return TableFieldSchema.newBuilder()
                .setName(name)
                .setType(type)
                .setMode(mode)
                .build();
    }
}
