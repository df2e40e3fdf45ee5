package io.thalweg.jobs.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.formats.BadReason;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.HexRowCodec;
import io.thalweg.model.row.HexRowJson;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.KeyedRowCodec;
import io.thalweg.model.row.KeyedRowJson;
import io.thalweg.model.row.Progress;
import io.thalweg.model.row.ProgressJson;
import io.thalweg.model.view.FeatureView;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.util.ListCollector;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DecodeRowsTest {
    private static final long END = 1_451_671_260_000L;
    private static final OpenContext OPEN = new OpenContext() {};

    private static LoadItem item(FeatureView view, byte[] value) {
        return Objects.requireNonNull(decoded(view, List.of(), value));
    }

    @Test
    void decode_packedAndJson_areTheSameRows() {
        HexRowBlock block = LoadViews.rows(3, 4, END);
        byte[] packed = new HexRowCodec(LoadViews.DEMAND).encodeBlock(block, 5);
        byte[] json = new HexRowJson(LoadViews.DEMAND).value(block, 2, 5);

        HexRowBlock whole = (HexRowBlock) ((LoadItem.Rows) item(LoadViews.DEMAND, packed)).block();
        LoadItem.Rows one = (LoadItem.Rows) item(LoadViews.DEMAND, json);

        assertThat(whole.cells()).isEqualTo(block.cells());
        assertThat(whole.sums()).isEqualTo(block.sums());
        HexRowBlock ofOne = (HexRowBlock) one.block();
        assertThat(ofOne.cells()).containsExactly(block.cells()[2]);
        assertThat(ofOne.sums()).containsExactly(5, 35);
        assertThat(one.origin()).isEqualTo(new Origin("rows", 1, 17));
    }

    @Test
    void decode_keyed_givesBothFormats() {
        byte[] packed = new KeyedRowCodec(LoadViews.CAMPAIGNS).encodeBlock(LoadViews.campaign("c1", 9, END), 5);
        byte[] json = new KeyedRowJson(LoadViews.CAMPAIGNS).value(LoadViews.campaign("c1", 9, END), 0, 5);
        for (byte[] value : List.of(packed, json)) {
            LoadItem.Rows keyed = (LoadItem.Rows) item(LoadViews.CAMPAIGNS, value);
            assertThat(((KeyedRowBlock) keyed.block()).values().low()).containsExactly(9);
        }
    }

    @Test
    void decode_progress_isDone() {
        Progress progress = new Progress("demand", 17, 256, END);
        assertThat(decoded(LoadViews.DEMAND, List.of(), ProgressJson.value(progress)))
                .isEqualTo(new LoadItem.Done(progress));
    }

    @Test
    void decode_whatIsNoRowOfTheView_isBadWithItsReason() {
        HexRowBlock block = LoadViews.rows(3, 1, END);
        byte[] packed = new HexRowCodec(LoadViews.DEMAND).encodeBlock(block, 5);
        byte[] json = new HexRowJson(LoadViews.DEMAND).value(block, 0, 5);
        byte[] cut = java.util.Arrays.copyOf(packed, packed.length - 1);
        byte[] otherLayout = packed.clone();
        otherLayout[22] ^= 1;

        assertBad(DeadLetterReason.UNDECODABLE, "must have a value", null);
        assertBad(DeadLetterReason.UNDECODABLE, "end early", cut);
        assertBad(DeadLetterReason.UNDECODABLE, "Avro", new byte[] {(byte) 0xC3, 1, 2});
        assertBad(DeadLetterReason.UNDECODABLE, "begins with 0xB7", new byte[] {42});
        assertBad(DeadLetterReason.UNDECODABLE, "end early", new byte[0]);
        assertBad(DeadLetterReason.UNDECODABLE, "JSON object", bytes("{\"view\":"));
        assertBad(DeadLetterReason.UNDECODABLE, "shard must be", ProgressJson.value(new Progress("demand", 9, 9, END)));
        assertBad(DeadLetterReason.WRONG_LAYOUT, "other rings or windows", otherLayout);
        assertBad(
                DeadLetterReason.WRONG_LAYOUT, "row.features", bytes(text(json).replace("k1_1m", "k2_1m")));
        assertBad(
                DeadLetterReason.WRONG_VIEW, "was \"supply\"", bytes(text(json).replace("demand", "supply")));
        assertBad(DeadLetterReason.WRONG_VIEW, "was of supply", ProgressJson.value(new Progress("supply", 1, 9, END)));
        assertBad(
                DeadLetterReason.WRONG_VIEW,
                "that is keyed",
                new KeyedRowCodec(LoadViews.CAMPAIGNS).encodeBlock(LoadViews.campaign("c", 1, END), 5));
    }

    @Test
    void decode_halfOfASurrogatePair_isInvalidText() {
        String json = text(new KeyedRowJson(LoadViews.CAMPAIGNS).value(LoadViews.campaign("c1", 9, END), 0, 5));

        LoadItem.Bad bad = (LoadItem.Bad) item(LoadViews.CAMPAIGNS, bytes(json.replace("\"c1\"", "\"\\ud83d\"")));

        assertThat(bad.reason()).isEqualTo(DeadLetterReason.INVALID_TEXT);
        assertThat(bad.detail())
                .isEqualTo("row.campaign must be valid Unicode text, was text with half of a surrogate pair");
        assertThat(item(LoadViews.CAMPAIGNS, bytes(json.replace("\"c1\"", "\"\\ud83d\\ude00\""))))
                .isInstanceOf(LoadItem.Rows.class);
    }

    /** Each reason for a bad row of a table is one of a dead letter. */
    @ParameterizedTest
    @EnumSource(
            names = {"LATE", "LATE_IDLE", "COORDINATE", "CELL"},
            mode = EnumSource.Mode.EXCLUDE)
    void of_reasonOfATable_hasTheSameText(BadReason reason) {
        assertThat(DeadLetterReason.of(reason).text()).isEqualTo(reason.text());
    }

    @Test
    void decode_rowsOfNeighbours_arePassedOver() {
        List<FeatureView> neighbours = List.of(LoadViews.SUPPLY, LoadViews.CAMPAIGNS);
        byte[] json = new HexRowJson(LoadViews.DEMAND).value(LoadViews.rows(3, 1, END), 0, 5);
        byte[] keyed = new KeyedRowCodec(LoadViews.CAMPAIGNS).encodeBlock(LoadViews.campaign("c", 1, END), 5);
        for (byte[] value : List.of(
                keyed,
                bytes(text(json).replace("demand", "supply")),
                ProgressJson.value(new Progress("supply", 1, 9, END)))) {
            assertThat(decoded(LoadViews.DEMAND, neighbours, value)).isNull();
        }
        assertThat(decoded(LoadViews.DEMAND, neighbours, bytes(text(json).replace("demand", "third"))))
                .isInstanceOf(LoadItem.Bad.class);
    }

    private static void assertBad(DeadLetterReason reason, String detail, byte @Nullable [] value) {
        LoadItem.Bad bad = (LoadItem.Bad) java.util.Objects.requireNonNull(decoded(LoadViews.DEMAND, List.of(), value));
        assertThat(bad.detail()).contains(detail);
        assertThat(bad.reason()).isEqualTo(reason);
        assertThat(bad.raw()).isEqualTo(value == null ? new byte[0] : value);
    }

    private static @Nullable LoadItem decoded(FeatureView view, List<FeatureView> neighbours, byte @Nullable [] value) {
        DecodeRows decoder = new DecodeRows(view, neighbours);
        decoder.open(OPEN);
        List<LoadItem> items = new ArrayList<>();
        decoder.flatMap(new RowRecord("rows", 1, 17, value), new ListCollector<>(items));
        assertThat(items).hasSizeLessThan(2);
        return items.isEmpty() ? null : items.get(0);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
