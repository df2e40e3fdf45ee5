package io.thalweg.bench.serve;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Timestamp;
import io.thalweg.api.v1.FeatureRow;
import io.thalweg.api.v1.FeatureValue;
import io.thalweg.api.v1.ReadFeaturesResponse;
import io.thalweg.api.v1.RowColumns;
import io.thalweg.bench.harness.Progress;
import io.thalweg.bench.load.Readers;
import io.thalweg.bench.publish.DemandRows;
import io.thalweg.model.row.RingDivisors;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Answers of each protocol are accepted only if they contain the rows that were written. */
class CheckedReadersTest {
    private static final Instant END = Instant.ofEpochMilli(1_767_225_600_000L);
    private static final DemandRows ROWS = new DemandRows(8_000, END.toEpochMilli());
    private static final long[] CELLS = {DemandRows.cell(0, 17), DemandRows.cell(0, 4_711)};

    private static double[] features(int key) {
        return new RingDivisors(DemandRows.VIEW).values(ROWS.newestSums(CELLS[key]), null);
    }

    private static byte[] grpc(double change) {
        ReadFeaturesResponse.Builder answer = ReadFeaturesResponse.newBuilder();
        for (int key = 0; key < CELLS.length; key++) {
            FeatureRow.Builder row =
                    answer.addRowsBuilder().setWindowEnd(Timestamp.newBuilder().setSeconds(END.getEpochSecond()));
            for (double feature : features(key)) {
                row.addValues(FeatureValue.newBuilder().setDoubleValue(feature));
            }
        }
        answer.getRowsBuilder(1).setValues(53, FeatureValue.newBuilder().setDoubleValue(features(1)[53] + change));
        return answer.build().toByteArray();
    }

    private static byte[] columns(double change) {
        RowColumns.Builder columns = RowColumns.newBuilder();
        for (int key = 0; key < CELLS.length; key++) {
            columns.addWindowEndsMs(END.toEpochMilli());
        }
        for (int f = 0; f < features(0).length; f++) {
            columns.addFeaturesBuilder()
                    .getDoublesBuilder()
                    .addValues(features(0)[f])
                    .addValues(features(1)[f] + (f == 53 ? change : 0));
        }
        return ReadFeaturesResponse.newBuilder().setColumns(columns).build().toByteArray();
    }

    private static String view(Instant end) {
        return IntStream.range(0, CELLS.length)
                .mapToObj(key -> "{\"window_end\":\"%s\",\"values\":[%s]}"
                        .formatted(
                                end,
                                DoubleStream.of(features(key))
                                        .mapToObj(Double::toString)
                                        .collect(Collectors.joining(","))))
                .collect(Collectors.joining(",", "{\"rows\":[", "]}"));
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static CheckedReaders readers(Answers.Form form, List<byte[]> answers) {
        ServedRows rows = new ServedRows(ROWS, new Progress(new PrintWriter(Writer.nullWriter()), true));
        List<byte[]> left = new ArrayList<>(answers);
        return rows.checked(
                new Readers() {
                    @Override
                    public int requests() {
                        return 1;
                    }

                    @Override
                    public CompletableFuture<byte[]> read(int request) {
                        return CompletableFuture.completedFuture(left.size() > 1 ? left.remove(0) : left.get(0));
                    }
                },
                List.of(CELLS),
                form);
    }

    private static String difference(Answers.Form form, byte[] answer) throws Exception {
        CheckedReaders readers = readers(form, List.of(answer));
        readers.compareAll();
        return readers.difference();
    }

    @Test
    void compareAll_rowsThatWereWritten_areRight() throws Exception {
        assertThat(difference(Answers::ofGrpc, grpc(0))).isEmpty();
        assertThat(difference(Answers::ofColumns, columns(0))).isEmpty();
        assertThat(difference(Answers::ofView, utf8(view(END)))).isEmpty();
    }

    @Test
    void compareAll_otherValues_areNoticed() throws Exception {
        String wrong = "key 1 is answered with other values than were written";
        assertThat(difference(Answers::ofGrpc, grpc(1e-9))).isEqualTo(wrong);
        assertThat(difference(Answers::ofColumns, columns(1e-9))).isEqualTo(wrong);
        assertThat(difference(Answers::ofView, utf8(view(END.minusSeconds(60)))))
                .contains("other values");
        assertThat(difference(Answers::ofView, utf8("{\"rows\":[]}"))).isEqualTo("0 of 2 keys were answered");
    }

    @Test
    void difference_wrongAnswerUnderLoad_isNoticed() throws Exception {
        List<byte[]> answers = new ArrayList<>(
                IntStream.range(0, 50).mapToObj(number -> grpc(0)).toList());
        answers.add(grpc(1));
        CheckedReaders readers = readers(Answers::ofGrpc, answers);

        for (int read = 0; read < 50; read++) {
            assertThat(readers.read(0).join()).isNotEmpty();
        }
        assertThat(readers.difference()).isEmpty();
        assertThat(readers.read(0).join()).isNotEmpty();
        assertThat(readers.difference()).contains("other values");
    }
}
