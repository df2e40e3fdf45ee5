package io.thalweg.server;

import com.google.protobuf.Int64Value;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.thalweg.api.v1.Entity;
import io.thalweg.api.v1.Feature;
import io.thalweg.api.v1.GetViewRequest;
import io.thalweg.api.v1.ListViewsRequest;
import io.thalweg.api.v1.ListViewsResponse;
import io.thalweg.api.v1.ScanFeaturesRequest;
import io.thalweg.api.v1.ScanFeaturesResponse;
import io.thalweg.api.v1.ServingServiceGrpc;
import io.thalweg.api.v1.View;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.server.read.FeatureReader;
import io.thalweg.server.read.GrpcCalls;
import io.thalweg.server.read.GrpcMessages;
import io.thalweg.server.read.GrpcReads;
import io.thalweg.server.read.JsonAnswers;
import io.thalweg.server.read.MessageBytes;
import io.thalweg.server.read.Readers;
import io.thalweg.server.region.GrpcScans;
import io.thalweg.server.region.RegionReader;
import java.util.List;
import java.util.OptionalLong;

/** The gRPC API; it has the same shape as the HTTP/JSON one. */
final class GrpcApi implements BindableService {
    private static final MessageBytes BYTES = new MessageBytes();

    private static final MethodDescriptor<byte[], byte[]> READ =
            ServingServiceGrpc.getReadFeaturesMethod().toBuilder(BYTES, BYTES).build();

    private static final MethodDescriptor<byte[], byte[]> HISTORY =
            ServingServiceGrpc.getReadHistoryMethod().toBuilder(BYTES, BYTES).build();

    /** The ends of the paths of a scan and of a history read. */
    static final String SCAN_PATH = "/ScanFeatures";

    static final String HISTORY_PATH = "/ReadHistory";

    private final FeatureReader reader;
    private final GrpcReads reads;
    private final RegionReader regions;
    private final Readers readers;

    GrpcApi(FeatureReader reader, RegionReader regions, Readers readers) {
        this.reader = reader;
        this.reads = new GrpcReads(reader);
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

    private void readFeatures(byte[] request, StreamObserver<byte[]> observer) {
        GrpcCalls.answer(readers, observer, () -> reads.features(request));
    }

    private void readHistory(byte[] request, StreamObserver<byte[]> observer) {
        GrpcCalls.answer(readers, observer, () -> reads.history(request));
    }

    private void scanFeatures(ScanFeaturesRequest request, StreamObserver<ScanFeaturesResponse> observer) {
        GrpcCalls.answerAll(
                readers,
                observer,
                () -> GrpcScans.messages(regions.scan(
                        GrpcScans.request(request, reader.view(request.getView())), Integer.MAX_VALUE, GrpcScans.FORM)),
                Runnable::run);
    }

    private void listViews(ListViewsRequest request, StreamObserver<ListViewsResponse> observer) {
        GrpcCalls.answer(
                readers,
                observer,
                () -> ListViewsResponse.newBuilder()
                        .addAllViews(reader.views().stream().map(this::view).toList())
                        .build());
    }

    private void getView(GetViewRequest request, StreamObserver<View> observer) {
        GrpcCalls.answer(readers, observer, () -> view(reader.view(request.getView())));
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
        watermarkMs.ifPresent(ms -> out.setWatermark(GrpcMessages.timestamp(ms)));
        return out.build();
    }

    private static List<Entity> entities(FeatureView view) {
        return view.entities().stream()
                .map(entity -> {
                    Entity.Builder out =
                            Entity.newBuilder().setName(entity.name()).setType(JsonAnswers.typeOf(entity));
                    if (entity instanceof io.thalweg.model.view.Entity.Cell cell) {
                        out.setResolution(cell.resolution());
                    }
                    return out.build();
                })
                .toList();
    }
}
