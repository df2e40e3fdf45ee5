package io.thalweg.jobs.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.formats.EventColumns;
import io.thalweg.formats.EventDecoder;
import io.thalweg.formats.Projection;
import io.thalweg.formats.view.EventOutcome;
import io.thalweg.formats.view.EventVerdict;
import io.thalweg.formats.view.ViewReader;
import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.block.KeyedShardBlock;
import io.thalweg.jobs.block.OutputItem;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.KeyedRowJson;
import io.thalweg.model.view.FeatureView;
import io.thalweg.verify.KeyedRecount;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares a keyed view's operator, which is snapshot and restored between any two steps, with the plain recount. */
class KeyedOperatorTest {
    private static final String JOB = "keyed-operator-test";
    private static final long MINUTE = 60_000;
    private static final long T0 = OrderEvents.START_MS;
    private static final String MERCHANT = "[{name: merchant, field: merchant}]";
    private static final String EARLY = "emit: {early: 1s}";

    /** A row of an emitted block. */
    private record Row(List<Object> key, int shard, long windowEndMs, Finality finality, long sequence, String json) {}

    /** Converts orders into blocks as routing does, and recounts them. */
    private static final class Orders {
        final KeyedRecount recount;
        private final FeatureView view;
        private final EventColumns columns;
        private final EventDecoder decoder;
        private final ViewReader reader;
        private final KeyGatherer gatherer;
        private final List<KeyedShardBlock> blocks = new ArrayList<>();

        Orders(FeatureView view) {
            this.view = view;
            Projection projection = Projection.of(List.of(view));
            columns = new EventColumns(projection);
            decoder = EventDecoder.create(projection);
            reader = ViewReader.of(view, projection);
            gatherer = new KeyGatherer(view, reader, blocks::add);
            recount = new KeyedRecount(view);
        }

        void add(String order, long timeMs) {
            columns.clear();
            byte[] bytes = order.getBytes(StandardCharsets.UTF_8);
            decoder.decode(bytes, 0, bytes.length, 0, 0, columns);
            EventOutcome outcome = reader.judge(columns, 0, timeMs, Long.MIN_VALUE);
            if (outcome == EventOutcome.ACCEPTED) {
                gatherer.add(Math.floorDiv(timeMs, view.windows().every().millis()));
                recount.add(new EventVerdict(
                        0,
                        outcome,
                        timeMs,
                        0,
                        reader.group(),
                        0,
                        0,
                        reader.matches(),
                        reader.inputs().clone(),
                        null));
            } else {
                assertThat(outcome).isEqualTo(EventOutcome.SKIPPED);
            }
        }

        List<KeyedShardBlock> take() {
            gatherer.flush();
            List<KeyedShardBlock> taken = List.copyOf(blocks);
            blocks.clear();
            return taken;
        }

        List<String> expected() {
            return expected(Long.MIN_VALUE);
        }

        List<String> expected(long fromMs) {
            return new OrderEvents.Expected(view, recount, List.of()).between(fromMs, Long.MAX_VALUE);
        }
    }

    private static RestartingOperator<KeyedShardBlock, OutputItem> operator(FeatureView view, int phase, int period)
            throws Exception {
        return new RestartingOperator<>(
                () -> new KeyedOperator(view, Long.MIN_VALUE, JOB, false),
                KeyedShardBlock::recordKey,
                OutputItem.TYPE,
                out -> out instanceof OutputItem.Rows rows ? rows(view, (KeyedRowBlock) rows.block()) : out,
                phase,
                period);
    }

    private static List<Row> rows(FeatureView view, KeyedRowBlock block) {
        KeyedRowJson json = new KeyedRowJson(view);
        KeyCodec keys = new KeyCodec(view);
        List<Row> rows = new ArrayList<>();
        for (int row = 0; row < block.rows(); row++) {
            rows.add(new Row(
                    block.key(keys, row),
                    block.shard(),
                    block.windowEndMs(),
                    block.finality(),
                    block.sequence(),
                    new String(json.value(block, row), StandardCharsets.UTF_8)));
        }
        return rows;
    }

    /** Returns all rows in the order of their emission, checked against watermarks, progress and each other. */
    private static List<Row> checked(List<Object> output) {
        long reachedMs = Long.MIN_VALUE;
        Set<String> done = new HashSet<>();
        Set<List<Object>> isFinal = new HashSet<>();
        Map<List<Object>, Long> sequences = new HashMap<>();
        List<Row> rows = new ArrayList<>();
        for (Object each : output) {
            if (each instanceof List<?> block) {
                for (Object one : block) {
                    Row row = (Row) one;
                    List<Object> keyAndEnd = List.of(row.key(), row.windowEndMs());
                    assertThat(isFinal)
                            .as("rows behind the final one of %s", keyAndEnd)
                            .doesNotContain(keyAndEnd);
                    assertThat(row.windowEndMs())
                            .as("rows behind the watermark")
                            .isGreaterThan(reachedMs);
                    assertThat(done)
                            .as("rows behind their progress")
                            .doesNotContain(row.shard() + "@" + row.windowEndMs());
                    if (row.finality() == Finality.FINAL) {
                        isFinal.add(keyAndEnd);
                    } else {
                        Long before = sequences.put(keyAndEnd, row.sequence());
                        assertThat(before == null || before < row.sequence())
                                .as("sequences of %s", keyAndEnd)
                                .isTrue();
                    }
                    rows.add(row);
                }
            } else if (each instanceof OutputItem.Done progress) {
                done.add(progress.progress().shard() + "@" + progress.progress().windowEndMs());
            } else if (each instanceof Watermark mark) {
                reachedMs = Math.max(reachedMs, mark.getTimestamp());
            }
        }
        return rows;
    }

    private static List<String> finals(List<Row> rows) {
        return rows.stream()
                .filter(row -> row.finality() == Finality.FINAL)
                .map(Row::json)
                .sorted()
                .toList();
    }

    private static List<Row> partials(List<Object> output) {
        return checked(output).stream()
                .filter(row -> row.finality() == Finality.PARTIAL)
                .toList();
    }

    @ParameterizedTest(name = "{0} {1} {2} seed={3}")
    @CsvSource(
            delimiter = '|',
            value = {
                "[{name: merchant, field: merchant}] | [1m] | emit: {early: 1s} | 1",
                "[{name: merchant, field: merchant}] | [1m, 2m, 5m] | emit: {early: 1s} | 2",
                "[{name: shop, field: shop, type: int64}] | [3m] | | 3",
                "[{name: device, field: device, type: uuid}] | [1m, 8m] | emit: {early: 1s} | 4",
                "[{name: shop, field: shop, type: int64}, {name: pickup, field: pickup, type: bool}] | [1m] | | 5",
            })
    void restore_betweenAnyTwoSteps_rowsAreThoseOfTheRecount(
            String entities, String sizes, @Nullable String emit, long seed) throws Exception {
        FeatureView view = OrderEvents.view(entities, sizes, emit == null ? "" : emit);
        Random random = new Random(seed);
        Orders orders = new Orders(view);
        RestartingOperator<KeyedShardBlock, OutputItem> operator = operator(view, 300 * (int) seed, 1_009);
        long pane = T0 / MINUTE;
        long processingMs = 0;
        for (int i = 0; i < 60; i++) {
            for (int more = random.nextInt(20); more > 0; more--) {
                long timeMs = pane * MINUTE + random.nextInt(2 * (int) MINUTE);
                orders.add(OrderEvents.event(random, timeMs), timeMs);
            }
            for (KeyedShardBlock block : orders.take()) {
                operator.element(block);
            }
            processingMs += random.nextInt(1_500);
            operator.processingTime(processingMs);
            if (random.nextInt(3) == 0) {
                pane += random.nextInt(8) == 0 ? 20 : 1;
                operator.watermark(pane * MINUTE + random.nextInt(1_000));
            }
        }
        operator.end();

        assertThat(operator.restores).isGreaterThan(5);
        List<Row> rows = checked(operator.output);
        assertThat(finals(rows)).isEqualTo(orders.expected()).hasSizeGreaterThan(200);
        assertThat(rows.stream().anyMatch(row -> row.finality() == Finality.PARTIAL))
                .isEqualTo(view.early() != null);
    }

    private static String order(String merchant, double amount) {
        return "{\"type\":\"order\",\"merchant\":\"%s\",\"device\":\"00000000-0000-0000-0000-000000000001\",\"buyer\":\"b\",\"paid\":true,\"amount\":%s,\"items\":1}"
                .formatted(merchant, amount);
    }

    private static List<String> counts(List<Row> rows) {
        return rows.stream()
                .map(row -> row.key().get(0) + " "
                        + row.json().replaceAll(".*\"orders_1m\":(\\d+).*\"sum_amount_1m\":([^,]*),.*", "$1 $2"))
                .sorted()
                .toList();
    }

    private static void feed(RestartingOperator<KeyedShardBlock, OutputItem> operator, Orders orders) throws Exception {
        for (KeyedShardBlock block : orders.take()) {
            operator.element(block);
        }
    }

    @Test
    void early_keysThatChanged_leaveAsPartialRowsOfTheOpenWindow() throws Exception {
        FeatureView view = OrderEvents.view(MERCHANT, "[1m]", EARLY);
        Orders orders = new Orders(view);
        RestartingOperator<KeyedShardBlock, OutputItem> operator = operator(view, 0, 0);
        operator.watermark(T0);
        orders.add(order("a", 2.5), T0 + 1);
        orders.add(order("a", 3), T0 + 2);
        orders.add(order("b", 1), T0 + 3);
        orders.add(order("a", 100), T0 + MINUTE);
        feed(operator, orders);
        operator.processingTime(999);
        assertThat(partials(operator.output)).isEmpty();

        operator.processingTime(1_000);
        assertThat(counts(partials(operator.output))).containsExactly("a 2 5.5", "b 1 1.0");
        operator.output.clear();
        operator.processingTime(2_000);
        assertThat(operator.output).as("nothing has changed").isEmpty();

        orders.add(order("a", 1), T0 + 4);
        feed(operator, orders);
        operator.processingTime(3_000);
        assertThat(counts(partials(operator.output))).containsExactly("a 3 6.5");
        assertThat(partials(operator.output).get(0).windowEndMs()).isEqualTo(T0 + MINUTE);
        assertThat(partials(operator.output).get(0).sequence()).isEqualTo(3_000);

        operator.output.clear();
        operator.watermark(T0 + MINUTE);
        assertThat(counts(checked(operator.output))).containsExactly("a 3 6.5", "b 1 1.0");
        operator.processingTime(4_000);
        assertThat(counts(partials(operator.output))).as("of the next window").containsExactly("a 1 100.0");
    }

    @Test
    void early_windowIsFiringAlready_noneFollowsItsFinalRow() throws Exception {
        FeatureView view = OrderEvents.view(MERCHANT, "[1m, 2m]", EARLY);
        Orders orders = new Orders(view);
        RestartingOperator<KeyedShardBlock, OutputItem> operator = operator(view, 0, 0);
        for (int i = 0; i < 500; i++) {
            orders.add(order("m" + i, 1), T0 + i);
        }
        feed(operator, orders);

        operator.watermarkWithoutTurns(T0 + MINUTE);
        operator.processingTime(1_000);

        List<Row> rows = checked(operator.output);
        assertThat(finals(rows)).hasSize(500);
        assertThat(rows).hasSizeLessThan(1_000);
    }

    @Test
    void resume_earlyRowsAskedFor_publishesWhatChangesFromNowOn() throws Exception {
        FeatureView[] view = {OrderEvents.view(MERCHANT, "[1m, 2m]", "")};
        Orders orders = new Orders(view[0]);
        RestartingOperator<KeyedShardBlock, OutputItem> operator = new RestartingOperator<>(
                () -> new KeyedOperator(view[0], Long.MIN_VALUE, JOB, false),
                KeyedShardBlock::recordKey,
                OutputItem.TYPE,
                out -> out instanceof OutputItem.Rows rows ? rows(view[0], (KeyedRowBlock) rows.block()) : out,
                0,
                0);
        orders.add(order("a", 1), T0);
        orders.add(order("b", 1), T0);
        feed(operator, orders);

        view[0] = OrderEvents.view(MERCHANT, "[1m, 2m]", EARLY);
        operator.die();
        orders.add(order("a", 2), T0);
        feed(operator, orders);
        operator.processingTime(1_000);

        assertThat(counts(partials(operator.output))).containsExactly("a 2 3.0");
        operator.end();
        assertThat(finals(checked(operator.output))).isEqualTo(orders.expected());
    }

    @Test
    void resume_windowsChanged_warmsUpAnew() throws Exception {
        long resumedMs = T0 + 10 * MINUTE;
        FeatureView[] view = {OrderEvents.view(MERCHANT, "[1m, 2m]", "")};
        long[] coveredMs = {Long.MIN_VALUE};
        Orders orders = new Orders(view[0]);
        RestartingOperator<KeyedShardBlock, OutputItem> operator = new RestartingOperator<>(
                () -> new KeyedOperator(view[0], coveredMs[0], JOB, false),
                KeyedShardBlock::recordKey,
                OutputItem.TYPE,
                out -> out instanceof OutputItem.Rows rows ? rows(view[0], (KeyedRowBlock) rows.block()) : out,
                0,
                0);
        for (long timeMs = T0; timeMs < resumedMs; timeMs += MINUTE) {
            orders.add(order("a", 1), timeMs);
        }
        feed(operator, orders);
        operator.watermark(resumedMs - MINUTE);
        assertThat(checked(operator.output)).isNotEmpty();

        view[0] = OrderEvents.view(MERCHANT, "[1m, 3m]", "");
        coveredMs[0] = resumedMs;
        operator.die();
        operator.output.clear();
        Orders later = new Orders(view[0]);
        for (long timeMs = resumedMs; timeMs < resumedMs + 5 * MINUTE; timeMs += MINUTE) {
            later.add(order("a", 1), timeMs);
        }
        feed(operator, later);
        operator.end();

        List<Row> rows = checked(operator.output);
        assertThat(rows.get(0).windowEndMs()).isEqualTo(resumedMs + 3 * MINUTE);
        assertThat(rows.get(0).json()).contains("\"orders_3m\":3");
        assertThat(finals(rows)).isEqualTo(later.expected(resumedMs + 3 * MINUTE));
    }

    @Test
    void resume_anotherKey_isRefused() throws Exception {
        FeatureView[] view = {OrderEvents.view(MERCHANT, "[1m]", "")};
        RestartingOperator<KeyedShardBlock, OutputItem> operator = new RestartingOperator<>(
                () -> new KeyedOperator(view[0], Long.MIN_VALUE, JOB, false),
                KeyedShardBlock::recordKey,
                OutputItem.TYPE,
                out -> out,
                0,
                0);
        Orders orders = new Orders(view[0]);
        orders.add(order("a", 1), T0);
        feed(operator, orders);
        view[0] = OrderEvents.view("[{name: merchant, field: buyer}]", "[1m]", "");

        assertThatThrownBy(operator::die)
                .isInstanceOf(IncompatibleViewException.class)
                .hasMessageContaining("entities was")
                .hasMessageContaining("--resume none");
    }

    @Test
    void element_ofAClosedPane_isLateAfterAll() throws Exception {
        FeatureView view = OrderEvents.view("late-orders", MERCHANT, "[1m]", "", "json", "at_least_once");
        JobMetrics.View counts = JobMetrics.of("keyed-late-test").view(view.qualifiedName());
        RestartingOperator<KeyedShardBlock, OutputItem> operator = new RestartingOperator<>(
                () -> new KeyedOperator(view, Long.MIN_VALUE, "keyed-late-test", false),
                KeyedShardBlock::recordKey,
                OutputItem.TYPE,
                out -> out,
                0,
                0);
        Orders orders = new Orders(view);
        operator.watermark(T0 + MINUTE);
        orders.add(order("a", 1), T0);
        orders.add(order("a", 1), T0 + MINUTE);
        feed(operator, orders);

        assertThat(counts.outcome(EventOutcome.LATE)).isEqualTo(1);
        assertThat(counts.outcome(EventOutcome.ACCEPTED)).isEqualTo(-1);
    }
}
