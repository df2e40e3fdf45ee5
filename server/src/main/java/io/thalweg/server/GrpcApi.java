package io.thalweg.server;

import com.google.protobuf.Int64Value;
import com.google.protobuf.Timestamp;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.thalweg.api.v1.DoubleList;
import io.thalweg.api.v1.Entity;
import io.thalweg.api.v1.EntityKey;
import io.thalweg.api.v1.EntityValue;
import io.thalweg.api.v1.Feature;
import io.thalweg.api.v1.FeatureRow;
import io.thalweg.api.v1.FeatureValue;
import io.thalweg.api.v1.Finality;
import io.thalweg.api.v1.GetViewRequest;
import io.thalweg.api.v1.ListViewsRequest;
import io.thalweg.api.v1.ListViewsResponse;
import io.thalweg.api.v1.ReadFeaturesRequest;
import io.thalweg.api.v1.ReadFeaturesResponse;
import io.thalweg.api.v1.ReadHistoryRequest;
import io.thalweg.api.v1.ScanFeaturesRequest;
import io.thalweg.api.v1.ScanFeaturesResponse;
import io.thalweg.api.v1.ServingServiceGrpc;
import io.thalweg.api.v1.View;
import io.thalweg.model.FeatureView;
import io.thalweg.model.row.ReadStatus;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.server.ReadRequest.ReadFrom;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The gRPC API; it has the same shape as the HTTP/JSON one. */
final class GrpcApi implements BindableService {
    /** As in the definition, except for the marshaller of the answer. */
    private static final MethodDescriptor<ReadFeaturesRequest, ReadAnswer> READ =
            ServingServiceGrpc.getReadFeaturesMethod().toBuilder(
                            ServingServiceGrpc.getReadFeaturesMethod().getRequestMarshaller(), new AnswerMarshaller())
                    .build();

    private static final MethodDescriptor<ReadHistoryRequest, ReadAnswer> HISTORY =
            ServingServiceGrpc.getReadHistoryMethod().toBuilder(
                            ServingServiceGrpc.getReadHistoryMethod().getRequestMarshaller(), new AnswerMarshaller())
                    .build();

    /** The ends of the paths of a scan and of a history read. */
    static final String SCAN_PATH = "/ScanFeatures";

    static final String HISTORY_PATH = "/ReadHistory";

    private final FeatureReader reader;
    private final RegionReader regions;
    private final Readers readers;

    GrpcApi(FeatureReader reader, RegionReader regions, Readers readers) {
        this.reader = reader;
        this.regions = regions;
        this.readers = readers;
    }

    @Override
    public ServerServiceDefinition bindService() {
        ServiceDescriptor defined = ServingServiceGrpc.getServiceDescriptor();
        ServiceDescriptor service = ServiceDescriptor.newBuilder(defined.getName())
                .setSchemaDescriptor(defined.getSchemaDescriptor())
                .addMethod(READ)
                .addMethod(HISTORY)
                .addMethod(ServingServiceGrpc.getScanFeaturesMethod())
                .addMethod(ServingServiceGrpc.getListViewsMethod())
                .addMethod(ServingServiceGrpc.getGetViewMethod())
                .build();
        return ServerServiceDefinition.builder(service)
                .addMethod(READ, ServerCalls.asyncUnaryCall(this::readFeatures))
                .addMethod(HISTORY, ServerCalls.asyncUnaryCall(this::readHistory))
                .addMethod(
                        ServingServiceGrpc.getScanFeaturesMethod(),
                        ServerCalls.asyncServerStreamingCall(this::scanFeatures))
                .addMethod(ServingServiceGrpc.getListViewsMethod(), ServerCalls.asyncUnaryCall(this::listViews))
                .addMethod(ServingServiceGrpc.getGetViewMethod(), ServerCalls.asyncUnaryCall(this::getView))
                .build();
    }

    private void readFeatures(ReadFeaturesRequest request, StreamObserver<ReadAnswer> observer) {
        answer(readers, observer, () -> reader.read(read(request)));
    }

    private void readHistory(ReadHistoryRequest request, StreamObserver<ReadAnswer> observer) {
        answer(readers, observer, () -> reader.history(history(request)));
    }

    private void scanFeatures(ScanFeaturesRequest request, StreamObserver<ScanFeaturesResponse> observer) {
        answerAll(
                readers,
                observer,
                () -> GrpcScans.messages(regions.scan(
                        GrpcScans.request(request, reader.view(request.getView())), Integer.MAX_VALUE, GrpcScans.FORM)),
                Runnable::run);
    }

    private void listViews(ListViewsRequest request, StreamObserver<ListViewsResponse> observer) {
        answer(
                readers,
                observer,
                () -> ListViewsResponse.newBuilder()
                        .addAllViews(reader.views().stream().map(this::view).toList())
                        .build());
    }

    private void getView(GetViewRequest request, StreamObserver<View> observer) {
        answer(readers, observer, () -> view(reader.view(request.getView())));
    }

    /** Answers from a thread that may block; failures become gRPC statuses. */
    static <T> void answer(Readers readers, StreamObserver<T> observer, Supplier<T> answer) {
        // The event loop writes the parts of an answer; from another thread each part would wake it up.
        answerAll(
                readers,
                observer,
                () -> List.of(answer.get()),
                ServiceRequestContext.current().eventLoop());
    }

    /**
     * Answers with any number of messages.
     *
     * @param sender sends them; if it is the event loop, that does nothing else meanwhile
     */
    private static <T> void answerAll(
            Readers readers, StreamObserver<T> observer, Supplier<List<T>> answer, Executor sender) {
        io.grpc.Context call = io.grpc.Context.current();
        var unused = readers.submit(answer, call::isCancelled)
                .whenCompleteAsync(
                        (messages, failure) -> {
                            if (failure == null) {
                                messages.forEach(observer::onNext);
                                observer.onCompleted();
                            } else {
                                observer.onError(GrpcErrors.status(Readers.refusal(failure))
                                        .asRuntimeException());
                            }
                        },
                        sender);
    }

    private static ReadRequest read(ReadFeaturesRequest request) {
        if (request.getTargetCase() == ReadFeaturesRequest.TargetCase.SERVICE) {
            throw FeatureReader.noService(request.getService());
        }
        return new ReadRequest(
                request.getView(),
                request.getEntitiesList().stream().map(GrpcApi::values).toList(),
                request.getFeaturesList(),
                request.hasAsOf() ? instant(request.getAsOf()) : null,
                readFrom(request));
    }

    private static HistoryRequest history(ReadHistoryRequest request) {
        return new HistoryRequest(
                request.getView(),
                List.of(values(request.getKey())),
                request.getFeaturesList(),
                request.hasAsOf() ? instant(request.getAsOf()) : null,
                last(request.getLast()));
    }

    private static int last(int asked) {
        if (asked < 0 || asked > HistoryRequest.LAST_MAX) {
            throw Refusal.invalid("last: must be from 1 to %d, or 0 for as many as that, was %d"
                    .formatted(HistoryRequest.LAST_MAX, asked));
        }
        return asked == 0 ? HistoryRequest.LAST_MAX : asked;
    }

    private static ReadFrom readFrom(ReadFeaturesRequest request) {
        return switch (request.getReadFrom()) {
            case READ_FROM_UNSPECIFIED, STORE -> ReadFrom.STORE;
            case LIVE -> ReadFrom.LIVE;
            case BOTH -> ReadFrom.BOTH;
            case UNRECOGNIZED ->
                throw Refusal.invalid("read_from: must be STORE, LIVE or BOTH, was " + request.getReadFromValue());
        };
    }

    static Instant instant(Timestamp time) {
        try {
            return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
        } catch (DateTimeException e) {
            throw Refusal.invalid("as_of: is no time, was " + time.getSeconds() + " s");
        }
    }

    private static Map<String, Object> values(EntityKey key) {
        Map<String, Object> values = new LinkedHashMap<>();
        key.getValuesMap().forEach((name, value) -> {
            Object given = value(value);
            if (given != null) {
                values.put(name, given);
            }
        });
        return values;
    }

    /** Returns the value of an entity; null if none is set. */
    static @Nullable Object value(EntityValue value) {
        return switch (value.getValueCase()) {
            case STRING_VALUE -> value.getStringValue();
            case INT64_VALUE -> value.getInt64Value();
            case BOOL_VALUE -> value.getBoolValue();
            case VALUE_NOT_SET -> null;
        };
    }

    /** Returns the fields before the rows. */
    static ReadFeaturesResponse head(ReadAnswer answer) {
        ReadFeaturesResponse.Builder out =
                ReadFeaturesResponse.newBuilder().setView(answer.view()).addAllFeatures(answer.features());
        answer.watermarkMs().ifPresent(ms -> out.setWatermark(timestamp(ms)));
        return out.build();
    }

    /** Returns the fields before the values of a row. */
    static FeatureRow.Builder head(ReadAnswer.Row row) {
        FeatureRow.Builder out = FeatureRow.newBuilder()
                .setEntities(key(row.entities()))
                .setStatus(status(row.status()))
                .setFinality(finality(row.finality()));
        row.windowEndMs().ifPresent(ms -> out.setWindowEnd(timestamp(ms)));
        row.ageMs().ifPresent(ms -> out.setAgeMs(Int64Value.of(ms)));
        return out;
    }

    static io.thalweg.api.v1.Status status(ReadStatus status) {
        return io.thalweg.api.v1.Status.valueOf(status.name());
    }

    static Finality finality(io.thalweg.model.row.@Nullable Finality finality) {
        return finality == null ? Finality.FINALITY_UNSPECIFIED : Finality.valueOf(finality.name());
    }

    /** Adds one value per feature; a missing value is unset. */
    static FeatureRow.Builder addValues(FeatureRow.Builder out, @Nullable List<@Nullable Object> values, int features) {
        for (int i = 0; i < features; i++) {
            out.addValues(value(values == null ? null : values.get(i)));
        }
        return out;
    }

    private static FeatureValue value(@Nullable Object value) {
        if (value == null) {
            return FeatureValue.getDefaultInstance();
        }
        FeatureValue.Builder out = FeatureValue.newBuilder();
        if (value instanceof Double decimal) {
            out.setDoubleValue(decimal);
        } else if (value instanceof Long number) {
            out.setInt64Value(number);
        } else if (value instanceof String text) {
            out.setStringValue(text);
        } else if (value instanceof List<?> list) {
            DoubleList.Builder doubles = DoubleList.newBuilder();
            list.forEach(element -> doubles.addValues((Double) element));
            out.setDoubleList(doubles);
        } else {
            out.setIntegerText(value.toString());
        }
        return out.build();
    }

    static EntityKey key(Map<String, Object> entities) {
        EntityKey.Builder key = EntityKey.newBuilder();
        entities.forEach((name, value) -> {
            EntityValue.Builder out = EntityValue.newBuilder();
            if (value instanceof Long number) {
                out.setInt64Value(number);
            } else if (value instanceof Boolean bool) {
                out.setBoolValue(bool);
            } else {
                out.setStringValue(value.toString());
            }
            key.putValues(name, out.build());
        });
        return key.build();
    }

    private View view(FeatureView view) {
        View.Builder out = View.newBuilder()
                .setName(view.qualifiedName())
                .setDescription(view.description())
                .addAllEntities(entities(view))
                .setTtlMs(view.online().ttl().millis());
        List<String> names = view.featureNames();
        List<String> types = view.featureTypes();
        for (int i = 0; i < names.size(); i++) {
            out.addFeatures(Feature.newBuilder().setName(names.get(i)).setType(types.get(i)));
        }
        DurationText history = view.online().history();
        if (history != null) {
            out.setHistoryMs(Int64Value.of(history.millis()));
        }
        OptionalLong watermarkMs = reader.watermark(view);
        watermarkMs.ifPresent(ms -> out.setWatermark(timestamp(ms)));
        return out.build();
    }

    private static List<Entity> entities(FeatureView view) {
        return view.entities().stream()
                .map(entity -> {
                    Entity.Builder out =
                            Entity.newBuilder().setName(entity.name()).setType(JsonAnswers.typeOf(entity));
                    if (entity instanceof io.thalweg.model.Entity.Cell cell) {
                        out.setResolution(cell.resolution());
                    }
                    return out.build();
                })
                .toList();
    }

    static Timestamp timestamp(long ms) {
        return Timestamp.newBuilder()
                .setSeconds(Math.floorDiv(ms, 1_000L))
                .setNanos((int) Math.floorMod(ms, 1_000L) * 1_000_000)
                .build();
    }
}
