package io.thalweg.server.read;

import static io.thalweg.server.ServerFixture.MINUTE;
import static io.thalweg.server.ServerFixture.T;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.linecorp.armeria.client.grpc.GrpcClients;
import io.thalweg.api.v1.EntityKey;
import io.thalweg.api.v1.EntityValue;
import io.thalweg.api.v1.FeatureValue;
import io.thalweg.api.v1.GetViewRequest;
import io.thalweg.api.v1.ReadFeaturesRequest;
import io.thalweg.api.v1.ReadFeaturesResponse;
import io.thalweg.api.v1.ServingServiceGrpc.ServingServiceBlockingStub;
import io.thalweg.api.v1.Status;
import io.thalweg.model.Definitions;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyColumns;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.Progress;
import io.thalweg.model.row.RowOrder;
import io.thalweg.model.row.ValueColumns;
import io.thalweg.model.view.FeatureView;
import io.thalweg.server.ServerFixture;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows of keyed views, read over HTTP and gRPC. */
@SuppressWarnings("NullAway.Init")
class KeyedReadTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final FeatureView SPENDING = view("spending", "");
    private static final FeatureView HISTORY = view("history", ", history: 1h");

    @TempDir
    Path folder;

    private ServerFixture fixture;

    private static FeatureView view(String name, String history) {
        return Definitions.parse("""
                        apiVersion: thalweg/v1
                        kind: FeatureView
                        name: %s
                        source: {topic: clicks}
                        entities: [{name: campaign, field: c}, {name: shop, field: s, type: int64}]
                        measures:
                          - {name: views, count: all}
                          - {name: items, sum: items, type: int64}
                          - {name: cost, sum: cost}
                          - {name: most, max: cost}
                        windows: {sizes: [1m], every: 1m}
                        online: {ttl: 10m%s}
                        """.formatted(name, history), name + ".yaml")
                .views()
                .get(0);
    }

    @BeforeEach
    void start() {
        fixture = new ServerFixture(folder, List.of(SPENDING, HISTORY));
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    private void write(FeatureView view, long windowEndMs, Finality finality, String campaign, long views, long high) {
        KeyedRowBlock block = new KeyedRowBlock(
                new BlockHead(
                        view.qualifiedName(),
                        0,
                        new RowOrder(windowEndMs, finality, finality == Finality.FINAL ? 0 : 1)),
                KeyColumns.ofBytes(new KeyCodec(view).bytes(List.of(campaign, 7L))),
                ValueColumns.ofNumbers(
                        new long[] {0, high, 0, 0},
                        new long[] {views, 5, Double.doubleToRawLongBits(2.5), 0},
                        new boolean[] {false, false, false, true}));
        fixture.store.write(view, List.of(block));
    }

    private void progress(long windowEndMs) {
        fixture.store.writeProgress(new Progress("spending", 0, 1, windowEndMs));
        fixture.store.writeProgress(new Progress("history", 0, 1, windowEndMs));
    }

    private JsonNode rows(String view, String more, String... campaigns) throws Exception {
        StringBuilder keys = new StringBuilder();
        for (String campaign : campaigns) {
            keys.append(keys.isEmpty() ? "" : ",").append("{\"campaign\":\"" + campaign + "\",\"shop\":7}");
        }
        HttpResponse<String> response =
                fixture.post("/v1/views/" + view + ":read", "{\"entities\":[" + keys + "]" + more + "}");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return JSON.readTree(response.body()).get("rows");
    }

    @Test
    void read_severalKeys_areAnsweredWithTheirValuesAsTheyAre() throws Exception {
        write(SPENDING, T, Finality.FINAL, "a", 3, 0);
        write(SPENDING, T, Finality.FINAL, "wide", 1L << 60, 9);
        write(SPENDING, T + MINUTE, Finality.PARTIAL, "open", 1, 0);
        progress(T);

        JsonNode rows = rows("spending", "", "a", "wide", "open", "nobody");

        assertThat(rows.get(0).toString())
                .isEqualTo(
                        "{\"entities\":{\"campaign\":\"a\",\"shop\":7},\"status\":\"PRESENT\",\"finality\":\"FINAL\",\"window_end\":\"2026-01-01T18:01:00Z\",\"age_ms\":1000,\"values\":[3,5,2.5,null]}");
        assertThat(rows.get(1).get("values").toString())
                .isEqualTo("[\"1152921504606846976\",\"166020696663385964549\",2.5,null]");
        assertThat(rows.get(2).get("finality").asText()).isEqualTo("PARTIAL");
        assertThat(rows.get(2).get("age_ms").asLong()).isEqualTo(-59_000);
        assertThat(rows.get(3).get("status").asText()).isEqualTo("NOT_FOUND");
        assertThat(rows.get(3).get("window_end").isNull()).isTrue();
        assertThat(rows.get(3).get("values").toString()).isEqualTo("[null,null,null,null]");
    }

    @Test
    void read_someFeatures_comeInTheOrderAsked() throws Exception {
        write(SPENDING, T, Finality.FINAL, "a", 3, 0);
        progress(T);
        assertThat(rows("spending", ",\"features\":[\"cost_1m\",\"views_1m\"]", "a")
                        .get(0)
                        .get("values")
                        .toString())
                .isEqualTo("[2.5,3]");
    }

    @Test
    void read_rowOrPipelineOld_isOutsideMaxAge() throws Exception {
        write(SPENDING, T, Finality.FINAL, "a", 3, 0);
        assertThat(rows("spending", "", "a").get(0).get("status").asText()).isEqualTo("OUTSIDE_MAX_AGE");
        progress(T);
        assertThat(rows("spending", "", "a").get(0).get("status").asText()).isEqualTo("PRESENT");
        fixture.clock.set(Instant.ofEpochMilli(T + 10 * MINUTE + 1));
        assertThat(rows("spending", "", "a").get(0).get("status").asText()).isEqualTo("OUTSIDE_MAX_AGE");
        progress(T + 10 * MINUTE);
        assertThat(rows("spending", "", "a").get(0).get("status").asText()).isEqualTo("NOT_FOUND");
    }

    @Test
    void read_asOf_findsTheNewestRowWithinTtl() throws Exception {
        write(HISTORY, T - 20 * MINUTE, Finality.FINAL, "a", 1, 0);
        write(HISTORY, T - 5 * MINUTE, Finality.FINAL, "a", 2, 0);
        progress(T);

        JsonNode row =
                rows("history", ",\"as_of\":\"2026-01-01T18:00:30Z\"", "a").get(0);
        assertThat(row.get("status").asText()).isEqualTo("PRESENT");
        assertThat(row.get("values").get(0).asLong()).isEqualTo(2);
        assertThat(row.get("window_end").asText()).isEqualTo("2026-01-01T17:56:00Z");
        row = rows("history", ",\"as_of\":\"2026-01-01T17:50:00Z\"", "a").get(0);
        assertThat(row.get("values").get(0).asLong()).isEqualTo(1);
        row = rows("history", ",\"as_of\":\"2026-01-01T17:52:00Z\"", "a").get(0);
        assertThat(row.get("status").asText()).isEqualTo("NOT_FOUND");

        HttpResponse<String> refused = fixture.post(
                "/v1/views/spending:read",
                "{\"entities\":[{\"campaign\":\"a\",\"shop\":7}],\"as_of\":\"2026-01-01T18:00:30Z\"}");
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).contains("online.history");
    }

    @Test
    void view_described_namesTheTypesOfFeatures() throws Exception {
        JsonNode view = JSON.readTree(fixture.get("/v1/views/spending").body());
        assertThat(view.get("features").toString())
                .isEqualTo(
                        "[{\"name\":\"views_1m\",\"type\":\"int64\"},{\"name\":\"items_1m\",\"type\":\"int64\"},{\"name\":\"cost_1m\",\"type\":\"double\"},{\"name\":\"most_1m\",\"type\":\"double\"}]");
        assertThat(view.get("entities").toString())
                .isEqualTo("[{\"name\":\"campaign\",\"type\":\"string\"},{\"name\":\"shop\",\"type\":\"int64\"}]");
    }

    @Test
    void readFeatures_grpc_valuesHaveTheirTypes() {
        write(SPENDING, T, Finality.FINAL, "a", 3, 9);
        progress(T);
        ServingServiceBlockingStub serving = GrpcClients.newClient(
                "gproto+http://127.0.0.1:" + fixture.server.port(), ServingServiceBlockingStub.class);

        ReadFeaturesResponse answer = serving.readFeatures(ReadFeaturesRequest.newBuilder()
                .setView("spending")
                .addEntities(key("a"))
                .addEntities(key("nobody"))
                .build());

        assertThat(answer.getRows(0).getStatus()).isEqualTo(Status.PRESENT);
        assertThat(answer.getRows(0).getValues(0).getInt64Value()).isEqualTo(3);
        assertThat(answer.getRows(0).getValues(1).getIntegerText()).isEqualTo("166020696663385964549");
        assertThat(answer.getRows(0).getValues(2).getDoubleValue()).isEqualTo(2.5);
        assertThat(answer.getRows(0).getValues(3).getValueCase()).isEqualTo(FeatureValue.ValueCase.VALUE_NOT_SET);
        assertThat(answer.getRows(1).getStatus()).isEqualTo(Status.NOT_FOUND);
        assertThat(serving.getView(
                                GetViewRequest.newBuilder().setView("spending").build())
                        .getFeatures(0)
                        .getType())
                .isEqualTo("int64");
    }

    private static EntityKey key(String campaign) {
        return EntityKey.newBuilder()
                .putValues(
                        "campaign",
                        EntityValue.newBuilder().setStringValue(campaign).build())
                .putValues("shop", EntityValue.newBuilder().setInt64Value(7).build())
                .build();
    }
}
