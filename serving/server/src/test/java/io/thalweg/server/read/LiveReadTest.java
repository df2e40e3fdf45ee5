package io.thalweg.server.read;

import static io.thalweg.server.ServerFixture.CELL;
import static io.thalweg.server.ServerFixture.DEMAND;
import static io.thalweg.server.ServerFixture.MINUTE;
import static io.thalweg.server.ServerFixture.PRODUCT;
import static io.thalweg.server.ServerFixture.T;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import io.thalweg.api.v1.LiveKey;
import io.thalweg.api.v1.LiveRow;
import io.thalweg.api.v1.LiveStatus;
import io.thalweg.kernel.keyed.KeyForm;
import io.thalweg.live.LiveAddress;
import io.thalweg.live.LiveClient;
import io.thalweg.live.LiveEndpoint;
import io.thalweg.live.LiveReads;
import io.thalweg.live.LiveTask;
import io.thalweg.model.Definitions;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.KeyColumns;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.KeyedRowCodec;
import io.thalweg.model.row.Progress;
import io.thalweg.model.row.RowOrder;
import io.thalweg.model.row.Shard;
import io.thalweg.model.row.ValueColumns;
import io.thalweg.model.view.FeatureView;
import io.thalweg.server.ServerFixture;
import io.thalweg.testing.Await;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads of the open window through the server; the job is a function behind a real endpoint. */
class LiveReadTest {
    private static final String JOB = "live-read-test";
    private static final FeatureView CAMPAIGNS =
            Definitions.parse("""
                    apiVersion: thalweg/v1
                    kind: FeatureView
                    name: campaigns
                    source: {topic: events}
                    entities: [{name: campaign, field: campaign_id, type: int64}]
                    measures: [{name: views, count: all}, {name: spend, sum: cost}]
                    windows: {sizes: [1m], every: 1m}
                    """, "campaigns.yaml").views().get(0);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final LiveClient client = new LiveClient(() -> LiveEndpoint.routes(JOB), Await.PATIENCE);

    @SuppressWarnings("NullAway.Init")
    private ServerFixture fixture;

    @SuppressWarnings("NullAway.Init")
    private LiveTask cells;

    @SuppressWarnings("NullAway.Init")
    private LiveTask campaigns;

    @BeforeEach
    void start() {
        fixture = new ServerFixture(folder, List.of(DEMAND, CAMPAIGNS), client);
        cells = join(DEMAND, key -> open().setStatus(LiveStatus.FOUND).setCount(3));
        campaigns = join(CAMPAIGNS, LiveReadTest::campaign);
    }

    @AfterEach
    void stop() {
        cells.close();
        campaigns.close();
        fixture.close();
        client.close();
    }

    private interface Reads {
        LiveRow.Builder read(LiveKey key);
    }

    private static LiveTask join(FeatureView view, Reads reads) {
        return LiveEndpoint.join(
                JOB,
                view.qualifiedName(),
                0,
                Shard.COUNT - 1,
                LiveAddress.LOOPBACK,
                Runnable::run,
                LiveReads.oneByOne(key -> reads.read(key).build()));
    }

    private static LiveRow.Builder open() {
        return LiveRow.newBuilder().setWatermarkMs(T + 500).setWindowEndMs(T + MINUTE);
    }

    /** Returns the row of a campaign; only campaign 42 has been viewed. */
    private static LiveRow.Builder campaign(LiveKey key) {
        if (key.getKey().asReadOnlyByteBuffer().getLong() != 42) {
            return open().setStatus(LiveStatus.EMPTY);
        }
        return open().setStatus(LiveStatus.FOUND)
                .setPacked(ByteString.copyFrom(
                        new KeyedRowCodec(CAMPAIGNS).encodeRow(row(Finality.PARTIAL, T + MINUTE, 7, 1.5), 0)));
    }

    private static KeyedRowBlock row(Finality finality, long endMs, long views, double spend) {
        assertThat(new io.thalweg.model.row.KeyCodec(CAMPAIGNS).form()).isEqualTo(KeyForm.LONG);
        return new KeyedRowBlock(
                new BlockHead(CAMPAIGNS.qualifiedName(), 0, new RowOrder(endMs, finality, 0)),
                KeyColumns.ofWords(new long[1], new long[] {42}),
                ValueColumns.ofNumbers(
                        new long[2], new long[] {views, Double.doubleToRawLongBits(spend)}, new boolean[2]));
    }

    @Test
    void read_liveOfAViewWithRings_isTheOpenPanesCount() throws Exception {
        JsonNode answer = read("demand", "{\"cell\":\"%x\",\"product\":\"%s\"}".formatted(CELL, PRODUCT), "LIVE", "");
        assertThat(answer.toString()).contains("\"features\":[\"k0_1m\"]");
        assertThat(answer.path("watermark").asText()).isEqualTo("2026-01-01T18:01:00.500Z");
        assertThat(answer.path("rows").size()).isEqualTo(1);
        assertThat(answer.path("rows").get(0).toString())
                .contains(
                        "\"status\":\"PRESENT\"",
                        "\"finality\":\"PARTIAL\"",
                        "\"window_end\":\"2026-01-01T18:02:00Z\"",
                        "\"age_ms\":-59000",
                        "\"values\":[3.0]");
    }

    @Test
    void read_bothOfAViewWithRings_isTheStoresRowAndThenTheOpenPane() throws Exception {
        fixture.write(DEMAND, T, CELL, 7);
        fixture.store.writeProgress(new Progress("demand", 0, 1, T));
        JsonNode answer = read("demand", "{\"cell\":\"%x\",\"product\":\"%s\"}".formatted(CELL, PRODUCT), "BOTH", "");
        assertThat(answer.path("features").toString()).isEqualTo("[\"k0_1m\"]");
        assertThat(answer.path("rows").get(0).toString()).contains("\"finality\":\"FINAL\"", "\"values\":[7.0]");
        assertThat(answer.path("rows").get(1).toString()).contains("\"finality\":\"PARTIAL\"", "\"values\":[3.0]");
    }

    @Test
    void read_liveOfAKeyedView_isTheRowOfTheOpenWindow() throws Exception {
        JsonNode answer = read("campaigns", "{\"campaign\":42},{\"campaign\":43}", "LIVE", "");
        assertThat(answer.path("features").toString()).isEqualTo("[\"views_1m\",\"spend_1m\"]");
        assertThat(answer.path("rows").get(0).toString())
                .contains("\"status\":\"PRESENT\"", "\"finality\":\"PARTIAL\"", "\"values\":[7,1.5]");
        assertThat(answer.path("rows").get(1).toString())
                .contains("\"status\":\"NOT_FOUND\"", "\"finality\":null", "\"values\":[null,null]");
    }

    @Test
    void read_bothOfAKeyedView_isTheStoresRowAndThenTheLiveOne() throws Exception {
        fixture.store.write(CAMPAIGNS, List.of(row(Finality.FINAL, T, 100, 20.0)));
        fixture.store.writeProgress(new Progress("campaigns", 0, 1, T));
        JsonNode answer = read("campaigns", "{\"campaign\":42}", "BOTH", ",\"features\":[\"spend_1m\",\"views_1m\"]");
        assertThat(answer.path("rows").get(0).toString()).contains("\"finality\":\"FINAL\"", "\"values\":[20.0,100]");
        assertThat(answer.path("rows").get(1).toString()).contains("\"finality\":\"PARTIAL\"", "\"values\":[1.5,7]");
    }

    @Test
    void read_otherFeaturesOfAViewWithRings_areRefusedByName() throws Exception {
        HttpResponse<String> answer = fixture.post(
                "/v1/views/demand:read",
                "{\"entities\":[{\"cell\":\"%x\",\"product\":\"%s\"}],\"read_from\":\"LIVE\",\"features\":[\"k1_2m\"]}"
                        .formatted(CELL, PRODUCT));
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("features[0]", "k0_1m only, was 'k1_2m'");
    }

    @Test
    void read_liveAsOf_isRefused() throws Exception {
        HttpResponse<String> answer = fixture.post(
                "/v1/views/campaigns:read",
                "{\"entities\":[{\"campaign\":42}],\"read_from\":\"LIVE\",\"as_of\":\"2026-01-01T18:00:00Z\"}");
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("as_of", "does not go with");
    }

    @Test
    void read_jobIsGone_isUnavailable() throws Exception {
        campaigns.close();
        HttpResponse<String> answer =
                fixture.post("/v1/views/campaigns:read", "{\"entities\":[{\"campaign\":42}],\"read_from\":\"LIVE\"}");
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.body()).contains("UNAVAILABLE", "starting, restarting or not running");
    }

    private JsonNode read(String view, String entities, String from, String more) throws Exception {
        HttpResponse<String> answer = fixture.post(
                "/v1/views/" + view + ":read",
                "{\"entities\":[" + entities + "],\"read_from\":\"" + from + "\"" + more + "}");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return new ObjectMapper().readTree(answer.body());
    }
}
