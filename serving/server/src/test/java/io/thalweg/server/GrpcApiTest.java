package io.thalweg.server;

import static io.thalweg.server.ServerFixture.PRODUCT;
import static io.thalweg.server.ServerFixture.T;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Timestamp;
import com.linecorp.armeria.client.grpc.GrpcClients;
import io.grpc.StatusRuntimeException;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.stub.StreamObserver;
import io.thalweg.api.v1.AnswerForm;
import io.thalweg.api.v1.EntityKey;
import io.thalweg.api.v1.EntityValue;
import io.thalweg.api.v1.FeatureValue;
import io.thalweg.api.v1.Finality;
import io.thalweg.api.v1.GetViewRequest;
import io.thalweg.api.v1.ListViewsRequest;
import io.thalweg.api.v1.ReadFeaturesRequest;
import io.thalweg.api.v1.ReadFeaturesResponse;
import io.thalweg.api.v1.ReadFrom;
import io.thalweg.api.v1.ReadHistoryRequest;
import io.thalweg.api.v1.ServingServiceGrpc;
import io.thalweg.api.v1.ServingServiceGrpc.ServingServiceBlockingStub;
import io.thalweg.api.v1.Status;
import io.thalweg.testing.Await;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GrpcApiTest {
    @TempDir
    Path folder;

    private ServerFixture fixture;
    private ServingServiceBlockingStub serving;

    @BeforeEach
    void start() {
        fixture = new ServerFixture(folder).filled();
        serving = GrpcClients.newClient(
                "gproto+http://127.0.0.1:" + fixture.server.port(), ServingServiceBlockingStub.class);
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    private static EntityKey key(String cell) {
        return EntityKey.newBuilder()
                .putValues("cell", EntityValue.newBuilder().setStringValue(cell).build())
                .putValues(
                        "product",
                        EntityValue.newBuilder().setStringValue(PRODUCT).build())
                .build();
    }

    private static ReadFeaturesRequest.Builder request(String view) {
        return ReadFeaturesRequest.newBuilder().setView(view).addEntities(key("892A1008003FFFF"));
    }

    private void assertFails(ReadFeaturesRequest.Builder request, io.grpc.Status.Code code, String... parts) {
        assertThatThrownBy(() -> serving.readFeatures(request.build()))
                .isInstanceOfSatisfying(StatusRuntimeException.class, e -> {
                    assertThat(e.getStatus().getCode()).isEqualTo(code);
                    assertThat(e.getStatus().getDescription()).contains(parts);
                });
    }

    @Test
    void readFeatures_presentAndZero_areAnsweredInOrder() {
        ReadFeaturesResponse answer = serving.readFeatures(request("demand")
                .addEntities(key("892a1008007ffff"))
                .addFeatures("k1_2m")
                .addFeatures("k0_1m")
                .build());

        assertThat(answer.getView()).isEqualTo("demand");
        assertThat(answer.getWatermark())
                .isEqualTo(Timestamp.newBuilder().setSeconds(T / 1_000).build());
        assertThat(answer.getFeaturesList()).containsExactly("k1_2m", "k0_1m");
        assertThat(answer.getRows(0).getStatus()).isEqualTo(Status.PRESENT);
        assertThat(answer.getRows(0).getFinality()).isEqualTo(Finality.FINAL);
        assertThat(answer.getRows(0).getAgeMs().getValue()).isEqualTo(1_000);
        assertThat(answer.getRows(0).getEntities()).isEqualTo(key("892a1008003ffff"));
        assertThat(answer.getRows(0).getValuesList().stream().map(FeatureValue::getDoubleValue))
                .containsExactly(10 / 14.0, 7.0);
        assertThat(answer.getRows(1).getStatus()).isEqualTo(Status.ZERO);
        assertThat(answer.getRows(1).getValues(1).hasDoubleValue()).isTrue();
        assertThat(answer.getRows(1).getValues(1).getDoubleValue()).isZero();
    }

    @Test
    void readFeatures_inColumns_hasTheValuesOfItsRows() {
        ReadFeaturesRequest.Builder request = request("demand")
                .addEntities(key("892a1008007ffff"))
                .addFeatures("k1_2m")
                .addFeatures("k0_1m");

        ReadFeaturesResponse answer =
                serving.readFeatures(request.setForm(AnswerForm.COLUMNS).build());

        assertThat(answer.getFeaturesList()).containsExactly("k1_2m", "k0_1m");
        assertThat(answer.getRowsList()).isEmpty();
        assertThat(answer.getColumns().getStatusesList()).containsExactly(Status.PRESENT, Status.ZERO);
        assertThat(answer.getColumns().getFinalitiesList()).containsExactly(Finality.FINAL, Finality.FINAL);
        assertThat(answer.getColumns().getWindowEndsMsList()).containsExactly(T, T);
        assertThat(answer.getColumns().getAgesMsList()).containsExactly(1_000L, 1_000L);
        assertThat(answer.getColumns().getFeatures(0).getDoubles().getValuesList())
                .containsExactly(10 / 14.0, 0.0);
        assertThat(answer.getColumns().getFeatures(1).getDoubles().getValuesList())
                .containsExactly(7.0, 0.0);
    }

    @Test
    void readHistory_inColumns_hasARowForEachWindowEnd() {
        ReadHistoryRequest.Builder request =
                ReadHistoryRequest.newBuilder().setView("supply").setKey(key("892a1008003ffff"));

        ReadFeaturesResponse rows = serving.readHistory(request.build());
        ReadFeaturesResponse columns =
                serving.readHistory(request.setForm(AnswerForm.COLUMNS).build());

        assertThat(rows.getRowsCount()).isPositive();
        assertThat(columns.getColumns().getFeatures(0).getDoubles().getValuesList())
                .isEqualTo(rows.getRowsList().stream()
                        .map(row -> row.getValues(0).getDoubleValue())
                        .toList());
    }

    @Test
    void readFeatures_outsideMaxAge_valuesAreUnset() {
        fixture.clock.set(java.time.Instant.ofEpochMilli(T + 600_001));
        ReadFeaturesResponse answer = serving.readFeatures(request("demand").build());
        assertThat(answer.getRows(0).getStatus()).isEqualTo(Status.OUTSIDE_MAX_AGE);
        assertThat(answer.getRows(0).getValuesCount()).isEqualTo(4);
        assertThat(answer.getRows(0).getValues(0).hasDoubleValue()).isFalse();
    }

    @Test
    void readFeatures_asOf_readsThePast() {
        ReadFeaturesResponse answer = serving.readFeatures(request("supply")
                .setAsOf(Timestamp.newBuilder().setSeconds(T / 1_000 - 1))
                .build());
        assertThat(answer.getRows(0).getValues(0).getDoubleValue()).isEqualTo(1.0);
    }

    @Test
    void readFeatures_wrongRequests_haveTheirStatus() {
        assertFails(request("demnd"), io.grpc.Status.Code.NOT_FOUND, "did you mean 'demand'?");
        assertFails(ReadFeaturesRequest.newBuilder().setService("eta"), io.grpc.Status.Code.NOT_FOUND, "eta");
        assertFails(request("demand").addFeatures("k9"), io.grpc.Status.Code.INVALID_ARGUMENT, "features[0]", "k9");
        assertFails(
                request("demand").addEntities(key("882a100801fffff")),
                io.grpc.Status.Code.INVALID_ARGUMENT,
                "entities[1].cell: resolution 8, view has 9");
        assertFails(request("demand").setFormValue(9), io.grpc.Status.Code.INVALID_ARGUMENT, "COLUMNS, was 9");
        assertFails(request("demand").setReadFrom(ReadFrom.LIVE), io.grpc.Status.Code.INVALID_ARGUMENT, "running job");
        assertFails(
                request("demand").setAsOf(Timestamp.getDefaultInstance()),
                io.grpc.Status.Code.INVALID_ARGUMENT,
                "online.history");
    }

    @Test
    void readFeatures_thousandBadKeys_reportsTwentyAndTheirNumber() {
        ReadFeaturesRequest.Builder request = ReadFeaturesRequest.newBuilder().setView("demand");
        for (int i = 0; i < 1_000; i++) {
            request.addEntities(key("882a100801fffff"));
        }
        assertFails(request, io.grpc.Status.Code.INVALID_ARGUMENT, "entities[0].cell", "and 980 more");
    }

    @Test
    void readFeatures_storeClosed_isUnavailable() {
        fixture.store.close();
        assertFails(request("demand"), io.grpc.Status.Code.UNAVAILABLE, "online store");
    }

    @Test
    void views_areListedAndFound() {
        assertThat(serving.listViews(ListViewsRequest.getDefaultInstance()).getViewsList())
                .extracting(io.thalweg.api.v1.View::getName)
                .containsExactly("demand", "supply");
        var supply =
                serving.getView(GetViewRequest.newBuilder().setView("supply").build());
        assertThat(supply.getEntities(0).getType()).isEqualTo("h3");
        assertThat(supply.getEntities(0).getResolution()).isEqualTo(9);
        assertThat(supply.getHistoryMs().getValue()).isEqualTo(3_600_000);
        assertThat(supply.getFeaturesCount()).isEqualTo(4);
    }

    @Test
    void reflection_lists_theService() throws Exception {
        var stub = GrpcClients.newClient(
                "gproto+http://127.0.0.1:" + fixture.server.port(), ServerReflectionGrpc.ServerReflectionStub.class);
        CompletableFuture<String> listed = new CompletableFuture<>();
        StreamObserver<ServerReflectionRequest> call = stub.serverReflectionInfo(new StreamObserver<>() {
            @Override
            public void onNext(ServerReflectionResponse response) {
                listed.complete(response.getListServicesResponse().toString());
            }

            @Override
            public void onError(Throwable failure) {
                listed.completeExceptionally(failure);
            }

            @Override
            public void onCompleted() {}
        });
        call.onNext(ServerReflectionRequest.newBuilder().setListServices("*").build());
        call.onCompleted();
        assertThat(Await.get(listed)).contains(ServingServiceGrpc.SERVICE_NAME);
    }
}
