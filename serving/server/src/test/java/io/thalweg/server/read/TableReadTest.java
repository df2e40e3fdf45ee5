package io.thalweg.server.read;

import static io.thalweg.server.ServerFixture.T;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.linecorp.armeria.client.grpc.GrpcClients;
import io.grpc.stub.AbstractBlockingStub;
import io.thalweg.api.feast.FeatureList;
import io.thalweg.api.feast.GetOnlineFeaturesRequest;
import io.thalweg.api.feast.GetOnlineFeaturesResponse;
import io.thalweg.api.feast.RepeatedValue;
import io.thalweg.api.feast.Value;
import io.thalweg.api.v1.EntityKey;
import io.thalweg.api.v1.EntityValue;
import io.thalweg.api.v1.FeatureValue;
import io.thalweg.api.v1.ReadFeaturesRequest;
import io.thalweg.api.v1.ReadFeaturesResponse;
import io.thalweg.model.Definitions;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyColumns;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.Progress;
import io.thalweg.model.row.ValueColumns;
import io.thalweg.model.view.FeatureView;
import io.thalweg.server.ServerFixture;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Text and lists of a table, over each protocol. */
@SuppressWarnings("NullAway.Init")
class TableReadTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final FeatureView PROFILES =
            Definitions.parse("""
                    apiVersion: thalweg/v1
                    kind: Materialization
                    name: profiles
                    source: {csv: profiles.csv}
                    entities: [{name: rider, field: id, type: int64}]
                    features: [{name: home, type: string}, {name: embedding, type: double_list}, {name: trips, type: int64}]
                    """, "profiles.yaml").materializations().get(0).view();

    @TempDir
    Path folder;

    private ServerFixture fixture;

    /** Rider 7 has all values, rider 8 an empty list and no text. */
    @BeforeEach
    void start() {
        fixture = new ServerFixture(folder, List.of(PROFILES));
        KeyCodec keys = new KeyCodec(PROFILES);
        byte[] list = ByteBuffer.allocate(2 * Double.BYTES)
                .putDouble(0.1)
                .putDouble(-7)
                .array();
        fixture.store.write(
                PROFILES,
                List.of(new KeyedRowBlock(
                        BlockHead.ofFinal("profiles", 0, T),
                        KeyColumns.ofWords(new long[2], new long[] {keys.low(List.of(7L)), keys.low(List.of(8L))}),
                        new ValueColumns(
                                new long[6],
                                new long[] {0, 0, 5, 0, 0, 6},
                                new boolean[] {false, false, false, true, false, false},
                                new byte[][] {
                                    "Zürich".getBytes(StandardCharsets.UTF_8), list, null, null, new byte[0], null
                                }))));
        fixture.store.writeProgress(new Progress("profiles", 0, 1, T));
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    private JsonNode post(String path, String body) throws Exception {
        var response = fixture.post(path, body);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return JSON.readTree(response.body());
    }

    @Test
    void read_json_hasTextAndArrays() throws Exception {
        JsonNode rows = post("/v1/views/profiles:read", "{\"entities\":[{\"rider\":7},{\"rider\":8},{\"rider\":9}]}")
                .get("rows");

        assertThat(rows.get(0).get("values").toString()).isEqualTo("[\"Zürich\",[0.1,-7.0],5]");
        assertThat(rows.get(1).get("values").toString()).isEqualTo("[null,[],6]");
        assertThat(rows.get(2).get("values").toString()).isEqualTo("[null,null,null]");
        assertThat(JSON.readTree(fixture.get("/v1/views/profiles").body())
                        .at("/features/1/type")
                        .asText())
                .isEqualTo("double_list");
    }

    @Test
    void read_grpc_hasTextAndLists() {
        ReadFeaturesResponse answer = stub(io.thalweg.api.v1.ServingServiceGrpc.ServingServiceBlockingStub.class)
                .readFeatures(ReadFeaturesRequest.newBuilder()
                        .setView("profiles")
                        .addEntities(rider(7))
                        .addEntities(rider(8))
                        .build());

        assertThat(answer.getRows(0).getValues(0).getStringValue()).isEqualTo("Zürich");
        assertThat(answer.getRows(0).getValues(1).getDoubleList().getValuesList())
                .containsExactly(0.1, -7.0);
        assertThat(answer.getRows(0).getValues(2).getInt64Value()).isEqualTo(5);
        assertThat(answer.getRows(1).getValues(0).getValueCase()).isEqualTo(FeatureValue.ValueCase.VALUE_NOT_SET);
        assertThat(answer.getRows(1).getValues(1).getValueCase()).isEqualTo(FeatureValue.ValueCase.DOUBLE_LIST);
        assertThat(answer.getRows(1).getValues(1).getDoubleList().getValuesCount())
                .isZero();
    }

    @Test
    void feast_json_hasTextAndArrays() throws Exception {
        JsonNode answer = post(
                "/get-online-features",
                "{\"features\":[\"profiles:home\",\"profiles:embedding\"],\"entities\":{\"rider\":[7,8]}}");

        assertThat(answer.at("/results/1/values").toString()).isEqualTo("[\"Zürich\",null]");
        assertThat(answer.at("/results/2/values").toString()).isEqualTo("[[0.1,-7.0],[]]");
        assertThat(answer.at("/results/1/statuses").toString()).isEqualTo("[\"PRESENT\",\"NULL_VALUE\"]");
    }

    @Test
    void feast_grpc_hasTextAndLists() {
        GetOnlineFeaturesResponse answer =
                stub(io.thalweg.api.feast.ServingServiceGrpc.ServingServiceBlockingStub.class)
                        .getOnlineFeatures(GetOnlineFeaturesRequest.newBuilder()
                                .setFeatures(FeatureList.newBuilder()
                                        .addVal("profiles:home")
                                        .addVal("profiles:embedding"))
                                .putEntities(
                                        "rider",
                                        RepeatedValue.newBuilder()
                                                .addVal(Value.newBuilder().setInt64Val(7))
                                                .addVal(Value.newBuilder().setInt64Val(8))
                                                .build())
                                .build());

        assertThat(answer.getResults(1).getValues(0).getStringVal()).isEqualTo("Zürich");
        assertThat(answer.getResults(2).getValues(0).getDoubleListVal().getValList())
                .containsExactly(0.1, -7.0);
        assertThat(answer.getResults(2).getValues(1).getValCase()).isEqualTo(Value.ValCase.DOUBLE_LIST_VAL);
    }

    private <S extends AbstractBlockingStub<S>> S stub(Class<S> type) {
        return GrpcClients.newClient("gproto+http://127.0.0.1:" + fixture.server.port(), type);
    }

    private static EntityKey rider(long id) {
        return EntityKey.newBuilder()
                .putValues("rider", EntityValue.newBuilder().setInt64Value(id).build())
                .build();
    }
}
