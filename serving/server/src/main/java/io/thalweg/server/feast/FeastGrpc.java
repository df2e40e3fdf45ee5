package io.thalweg.server.feast;

import io.grpc.stub.StreamObserver;
import io.thalweg.api.feast.DoubleList;
import io.thalweg.api.feast.FeatureList;
import io.thalweg.api.feast.FieldStatus;
import io.thalweg.api.feast.FloatList;
import io.thalweg.api.feast.GetFeastServingInfoRequest;
import io.thalweg.api.feast.GetFeastServingInfoResponse;
import io.thalweg.api.feast.GetOnlineFeaturesRequest;
import io.thalweg.api.feast.GetOnlineFeaturesResponse;
import io.thalweg.api.feast.GetOnlineFeaturesResponse.FeatureVector;
import io.thalweg.api.feast.GetOnlineFeaturesResponseMetadata;
import io.thalweg.api.feast.ServingServiceGrpc;
import io.thalweg.api.feast.Value;
import io.thalweg.server.feast.FeastAnswer.Cell;
import io.thalweg.server.feast.FeastAnswer.Column;
import io.thalweg.server.read.FeatureReader;
import io.thalweg.server.read.GrpcCalls;
import io.thalweg.server.read.GrpcMessages;
import io.thalweg.server.read.ReadRequest;
import io.thalweg.server.read.Readers;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Feast's own gRPC service. */
public final class FeastGrpc extends ServingServiceGrpc.ServingServiceImplBase {
    private final FeastReader reader;
    private final Readers readers;

    public FeastGrpc(FeastReader reader, Readers readers) {
        this.reader = reader;
        this.readers = readers;
    }

    @Override
    public void getFeastServingInfo(
            GetFeastServingInfoRequest request, StreamObserver<GetFeastServingInfoResponse> observer) {
        observer.onNext(
                GetFeastServingInfoResponse.newBuilder().setVersion("thalweg").build());
        observer.onCompleted();
    }

    @Override
    public void getOnlineFeatures(
            GetOnlineFeaturesRequest request, StreamObserver<GetOnlineFeaturesResponse> observer) {
        GrpcCalls.answer(readers, observer, () -> response(reader.read(read(request))));
    }

    private static FeastRequest read(GetOnlineFeaturesRequest request) {
        if (request.getKindCase() == GetOnlineFeaturesRequest.KindCase.FEATURE_SERVICE) {
            throw FeatureReader.noService(request.getFeatureService());
        }
        Map<String, List<Object>> entities = new LinkedHashMap<>();
        request.getEntitiesMap()
                .forEach((joinKey, values) -> entities.put(
                        joinKey,
                        values.getValList().stream().map(FeastGrpc::given).toList()));
        return new FeastRequest(request.getFeatures().getValList(), entities, request.getFullFeatureNames());
    }

    private static Object given(Value value) {
        return switch (value.getValCase()) {
            case STRING_VAL -> value.getStringVal();
            case INT32_VAL -> (long) value.getInt32Val();
            case INT64_VAL -> value.getInt64Val();
            case BOOL_VAL -> value.getBoolVal();
            case DOUBLE_VAL, DOUBLE_LIST_VAL, FLOAT_LIST_VAL, VAL_NOT_SET ->
                new ReadRequest.Other("a value of another type than string_val, int64_val, int32_val and bool_val");
        };
    }

    private static GetOnlineFeaturesResponse response(FeastAnswer answer) {
        FeatureList.Builder names = FeatureList.newBuilder();
        GetOnlineFeaturesResponse.Builder out =
                GetOnlineFeaturesResponse.newBuilder().setStatus(true);
        for (Column column : answer.columns()) {
            names.addVal(column.name());
            FeatureVector.Builder vector = FeatureVector.newBuilder();
            for (Cell cell : column.cells()) {
                vector.addValues(value(cell.value()));
                vector.addStatuses(FieldStatus.valueOf(cell.status().name()));
                vector.addEventTimestamps(
                        GrpcMessages.timestamp(cell.windowEndMs().orElse(0)));
            }
            out.addResults(vector);
        }
        return out.setMetadata(GetOnlineFeaturesResponseMetadata.newBuilder().setFeatureNames(names))
                .build();
    }

    private static Value value(@Nullable Object value) {
        Value.Builder out = Value.newBuilder();
        if (value instanceof Double number) {
            out.setDoubleVal(number);
        } else if (value instanceof Long number) {
            out.setInt64Val(number);
        } else if (value instanceof Boolean bool) {
            out.setBoolVal(bool);
        } else if (value instanceof List<?> list && (list.isEmpty() || list.get(0) instanceof Double)) {
            DoubleList.Builder doubles = DoubleList.newBuilder();
            list.forEach(each -> doubles.addVal((Double) each));
            out.setDoubleListVal(doubles);
        } else if (value instanceof List<?> list) {
            FloatList.Builder floats = FloatList.newBuilder();
            list.forEach(each -> floats.addVal((Float) each));
            out.setFloatListVal(floats);
        } else if (value != null) {
            out.setStringVal(value.toString());
        }
        return out.build();
    }
}
