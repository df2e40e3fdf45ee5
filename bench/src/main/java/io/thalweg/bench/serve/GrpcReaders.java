package io.thalweg.bench.serve;

import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.MoreExecutors;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.thalweg.api.v1.EntityKey;
import io.thalweg.api.v1.EntityValue;
import io.thalweg.api.v1.ReadFeaturesRequest;
import io.thalweg.api.v1.ReadFeaturesResponse;
import io.thalweg.api.v1.ServingServiceGrpc;
import io.thalweg.bench.publish.DemandRows;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** By gRPC, over a few connections. */
final class GrpcReaders implements Readers {
    private static final int CHANNELS = 4;

    private final List<ReadFeaturesRequest> requests = new ArrayList<>();
    private final List<ManagedChannel> channels = new ArrayList<>();
    private final List<ServingServiceGrpc.ServingServiceFutureStub> stubs = new ArrayList<>();

    GrpcReaders(int port, List<long[]> cells) {
        for (long[] each : cells) {
            ReadFeaturesRequest.Builder request =
                    ReadFeaturesRequest.newBuilder().setView(DemandRows.VIEW.qualifiedName());
            for (long cell : each) {
                request.addEntities(EntityKey.newBuilder()
                        .putValues(
                                "cell",
                                EntityValue.newBuilder()
                                        .setStringValue(Long.toHexString(cell))
                                        .build()));
            }
            requests.add(request.build());
        }
        for (int i = 0; i < CHANNELS; i++) {
            ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", port)
                    .usePlaintext()
                    .directExecutor()
                    .disableRetry()
                    .build();
            channels.add(channel);
            stubs.add(ServingServiceGrpc.newFutureStub(channel));
        }
    }

    @Override
    public int requests() {
        return requests.size();
    }

    @Override
    public CompletableFuture<Integer> read(int request) {
        CompletableFuture<Integer> bytes = new CompletableFuture<>();
        Futures.addCallback(
                stubs.get(request % CHANNELS).readFeatures(requests.get(request)),
                new FutureCallback<>() {
                    @Override
                    public void onSuccess(@Nullable ReadFeaturesResponse answer) {
                        bytes.complete(answer == null ? 0 : answer.getSerializedSize());
                    }

                    @Override
                    public void onFailure(Throwable failure) {
                        bytes.completeExceptionally(failure);
                    }
                },
                MoreExecutors.directExecutor());
        return bytes;
    }

    /** The answer itself. */
    ReadFeaturesResponse answer(int request) {
        return ServingServiceGrpc.newBlockingStub(channels.get(0)).readFeatures(requests.get(request));
    }

    @Override
    public void close() {
        channels.forEach(ManagedChannel::shutdownNow);
    }
}
