package io.thalweg.server.feast;

import static io.thalweg.server.ServerFixture.CELL;
import static io.thalweg.server.ServerFixture.DEMAND;
import static io.thalweg.server.ServerFixture.MINUTE;
import static io.thalweg.server.ServerFixture.PRODUCT;
import static io.thalweg.server.ServerFixture.SUPPLY;
import static io.thalweg.server.ServerFixture.T;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.linecorp.armeria.client.grpc.GrpcClients;
import io.grpc.StatusRuntimeException;
import io.thalweg.api.feast.FeatureList;
import io.thalweg.api.feast.FieldStatus;
import io.thalweg.api.feast.GetFeastServingInfoRequest;
import io.thalweg.api.feast.GetOnlineFeaturesRequest;
import io.thalweg.api.feast.GetOnlineFeaturesResponse;
import io.thalweg.api.feast.RepeatedValue;
import io.thalweg.api.feast.ServingServiceGrpc.ServingServiceBlockingStub;
import io.thalweg.api.feast.Value;
import io.thalweg.model.Definitions;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyColumns;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.Progress;
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

/** Feast's own protocols; {@code FeastIT} covers them with Feast's own client. */
@SuppressWarnings("NullAway.Init")
class FeastApiTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long QUIET_CELL = 0x892a1008007ffffL;
    private static final FeatureView SPENDING =
            Definitions.parse("""
                    apiVersion: thalweg/v1
                    kind: FeatureView
                    name: spending
                    source: {topic: clicks}
                    entities: [{name: shop, field: s, type: int64}, {name: pooled, field: p, type: bool}]
                    measures: [{name: views, count: all}, {name: most, max: cost}]
                    windows: {sizes: [1m], every: 1m}
                    online: {ttl: 10m}
                    """, "spending.yaml").views().get(0);

    @TempDir
    Path folder;

    private ServerFixture fixture;

    @BeforeEach
    void start() {
        fixture = new ServerFixture(folder, List.of(DEMAND, SUPPLY, SPENDING)).filled();
        write(1L << 60);
        fixture.store.writeProgress(new Progress("spending", 0, 1, T));
    }

    /** Writes a row of a shop; the shop's number is also the count. */
    private void write(long shop) {
        fixture.store.write(
                SPENDING,
                List.of(new KeyedRowBlock(
                        BlockHead.ofFinal("spending", 0, T),
                        KeyColumns.ofWords(
                                new long[] {new KeyCodec(SPENDING).high(List.of(shop, true))},
                                new long[] {new KeyCodec(SPENDING).low(List.of(shop, true))}),
                        ValueColumns.ofNumbers(new long[] {0, 0}, new long[] {shop, 0}, new boolean[] {false, true}))));
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    private JsonNode read(String body) throws Exception {
        HttpResponse<String> response = fixture.post("/get-online-features", body);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return JSON.readTree(response.body());
    }

    private void assertRefused(int status, String body, String... parts) throws Exception {
        HttpResponse<String> response = fixture.post("/get-online-features", body);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        assertThat(JSON.readTree(response.body()).at("/error/message").asText()).contains(parts);
    }

    /** Cells as numbers, which JSON represents exactly, as decimal text and as hex text; each is returned as it was given. */
    @Test
    void post_cellsInAllForms_areAnsweredByFeature() throws Exception {
        assertThat(read("""
                        {"features":["demand:k1_1m","demand:k0_1m"],
                         "entities":{"cell":[%d,"%d","%s",%d],"product":["%s","%s","%s","%s"]}}
                        """.formatted(
                                CELL, CELL, Long.toHexString(CELL), QUIET_CELL, PRODUCT, PRODUCT, PRODUCT, PRODUCT)))
                .isEqualTo(JSON.readTree("""
                        {"metadata":{"feature_names":["cell","product","k1_1m","k0_1m"]},
                         "results":[
                          {"values":[%d,"%d","%s",%d],"statuses":%s,"event_timestamps":%s},
                          {"values":["%s","%s","%s","%s"],"statuses":%s,"event_timestamps":%s},
                          {"values":[%s,%s,%s,0.0],"statuses":%s,"event_timestamps":%s},
                          {"values":[7.0,7.0,7.0,0.0],"statuses":%s,"event_timestamps":%s}],
                         "status":true}
                        """.formatted(
                                CELL,
                                CELL,
                                Long.toHexString(CELL),
                                QUIET_CELL,
                                PRESENT,
                                NEVER,
                                PRODUCT,
                                PRODUCT,
                                PRODUCT,
                                PRODUCT,
                                PRESENT,
                                NEVER,
                                9 / 7.0,
                                9 / 7.0,
                                9 / 7.0,
                                PRESENT,
                                AT_T,
                                PRESENT,
                                AT_T)));
    }

    private static final String PRESENT = "[\"PRESENT\",\"PRESENT\",\"PRESENT\",\"PRESENT\"]";
    private static final String NEVER = times("1970-01-01T00:00:00Z");
    private static final String AT_T = times("2026-01-01T18:01:00Z");

    private static String times(String time) {
        return "[\"%s\",\"%s\",\"%s\",\"%s\"]".formatted(time, time, time, time);
    }

    @Test
    void post_severalViews_areReadSideBySideUnderFullNames() throws Exception {
        JsonNode answer = read("""
                {"features":["demand:k0_1m","supply:k0_1m"],"full_feature_names":true,
                 "entities":{"cell":[%d],"product":["%s"],"trip":["not asked for by a view"]}}
                """.formatted(CELL, PRODUCT));
        assertThat(answer.at("/metadata/feature_names").toString())
                .isEqualTo("[\"cell\",\"product\",\"trip\",\"demand__k0_1m\",\"supply__k0_1m\"]");
        assertThat(answer.at("/results/3/values/0").doubleValue()).isEqualTo(7.0);
        assertThat(answer.at("/results/4/values/0").doubleValue()).isEqualTo(2.0);
    }

    @Test
    void post_keyedView_tellsAbsentOldAndMissingApart() throws Exception {
        String body = """
                {"features":["spending:views_1m","spending:most_1m"],
                 "entities":{"shop":[%d,"5"],"pooled":[1,true]}}
                """.formatted(1L << 60);
        JsonNode answer = read(body);
        assertThat(answer.at("/results/2/values").toString()).isEqualTo("[1152921504606846976,null]");
        assertThat(answer.at("/results/2/statuses").toString()).isEqualTo("[\"PRESENT\",\"NOT_FOUND\"]");
        assertThat(answer.at("/results/3/statuses").toString()).isEqualTo("[\"NULL_VALUE\",\"NOT_FOUND\"]");
        assertThat(answer.at("/results/2/event_timestamps").toString())
                .isEqualTo("[\"2026-01-01T18:01:00Z\",\"1970-01-01T00:00:00Z\"]");

        fixture.clock.set(Instant.ofEpochMilli(T + 11 * MINUTE));
        assertThat(read(body).at("/results/2/statuses").toString())
                .as("the pipeline is behind")
                .isEqualTo("[\"OUTSIDE_MAX_AGE\",\"OUTSIDE_MAX_AGE\"]");
    }

    @Test
    void post_wrongRequests_areRefusedByName() throws Exception {
        String key = "\"entities\":{\"cell\":[\"%s\"],\"product\":[\"%s\"]}".formatted(Long.toHexString(CELL), PRODUCT);
        assertRefused(404, "{\"features\":[\"demnd:k0_1m\"]," + key + "}", "demnd", "demand");
        assertRefused(400, "{\"features\":[\"demand:k0_3m\"]," + key + "}", "k0_3m", "k0_1m");
        assertRefused(400, "{\"features\":[\"k0_1m\"]," + key + "}", "features[0]", "demand:k5_8m");
        assertRefused(400, "{\"features\":[]," + key + "}", "features", "at least one");
        assertRefused(400, "{\"features\":{}," + key + "}", "features", "must be a list");
        assertRefused(400, "{\"features\":[\"demand:k0_1m\",\"supply:k0_1m\"]," + key + "}", "full_feature_names");
        assertRefused(404, "{\"feature_service\":\"prices\"," + key + "}", "prices");
        assertRefused(400, "{\"features\":[\"demand:k0_1m\"],\"full_names\":true," + key + "}", "full_feature_names");
        assertRefused(
                400, "{\"features\":[\"demand:k0_1m\"],\"entities\":{\"cell\":[1,2],\"product\":[]}}", "equally many");
        assertRefused(400, "{\"features\":[\"demand:k0_1m\"],\"entities\":{\"cell\":7}}", "entities.cell");
        assertRefused(
                400,
                "{\"features\":[\"demand:k0_1m\"],\"entities\":{\"cell\":[7]}}",
                "entities[0].cell",
                "entities[0].product");
    }

    @Test
    void getOnlineFeatures_overGrpc_answersTheSame() {
        ServingServiceBlockingStub serving = serving();
        GetOnlineFeaturesResponse answer = serving.getOnlineFeatures(GetOnlineFeaturesRequest.newBuilder()
                .setFeatures(FeatureList.newBuilder()
                        .addVal("demand:k0_2m")
                        .addVal("spending:views_1m")
                        .addVal("spending:most_1m"))
                .putEntities("cell", values(Value.newBuilder().setInt64Val(CELL)))
                .putEntities("product", values(Value.newBuilder().setStringVal(PRODUCT)))
                .putEntities("shop", values(Value.newBuilder().setInt64Val(1L << 60)))
                .putEntities("pooled", values(Value.newBuilder().setBoolVal(true)))
                .setFullFeatureNames(true)
                .build());
        assertThat(answer.getStatus()).isTrue();
        List<String> names = answer.getMetadata().getFeatureNames().getValList();
        assertThat(names.subList(0, 4)).containsExactlyInAnyOrder("cell", "product", "shop", "pooled");
        assertThat(names.subList(4, 7)).containsExactly("demand__k0_2m", "spending__views_1m", "spending__most_1m");
        assertThat(answer.getResults(names.indexOf("cell")).getValues(0).getInt64Val())
                .isEqualTo(CELL);
        assertThat(answer.getResults(4).getValues(0).getDoubleVal()).isEqualTo(4.0);
        assertThat(answer.getResults(4).getEventTimestamps(0).getSeconds()).isEqualTo(T / 1_000);
        assertThat(answer.getResults(5).getValues(0).getInt64Val()).isEqualTo(1L << 60);
        assertThat(answer.getResults(6).getValues(0).getValCase()).isEqualTo(Value.ValCase.VAL_NOT_SET);
        assertThat(answer.getResults(6).getStatuses(0)).isEqualTo(FieldStatus.NULL_VALUE);
        assertThat(serving.getFeastServingInfo(GetFeastServingInfoRequest.getDefaultInstance())
                        .getVersion())
                .isEqualTo("thalweg");
    }

    @Test
    void getOnlineFeatures_unknownView_isNotFound() {
        GetOnlineFeaturesRequest request = GetOnlineFeaturesRequest.newBuilder()
                .setFeatures(FeatureList.newBuilder().addVal("demnd:k0_1m"))
                .build();
        assertThatThrownBy(() -> serving().getOnlineFeatures(request))
                .isInstanceOfSatisfying(StatusRuntimeException.class, e -> {
                    assertThat(e.getStatus().getCode()).isEqualTo(io.grpc.Status.Code.NOT_FOUND);
                    assertThat(e.getStatus().getDescription()).contains("demand");
                });
    }

    private ServingServiceBlockingStub serving() {
        return GrpcClients.newClient(
                "gproto+http://127.0.0.1:" + fixture.server.port(), ServingServiceBlockingStub.class);
    }

    private static RepeatedValue values(Value.Builder value) {
        return RepeatedValue.newBuilder().addVal(value).build();
    }
}
