package io.thalweg.bench.serve;

import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.MoreExecutors;
import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.thalweg.api.v1.EntityKey;
import io.thalweg.api.v1.EntityValue;
import io.thalweg.api.v1.ReadFeaturesRequest;
import io.thalweg.api.v1.ReadFeaturesResponse;
import io.thalweg.api.v1.ServingServiceGrpc;
import io.thalweg.bench.BytesMarshaller;
import io.thalweg.bench.publish.DemandRows;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** By gRPC, over a few connections. Messages stay bytes: the server is measured, which shares its cores with the caller. */
final class GrpcReaders implements Readers {
    private static final int CHANNELS = 4;

    private static final MethodDescriptor.Marshaller<byte[]> BYTES = new BytesMarshaller();

    private static final MethodDescriptor<byte[], byte[]> READ =
            ServingServiceGrpc.getReadFeaturesMethod().toBuilder(BYTES, BYTES).build();

    private final List<byte[]> requests = new ArrayList<>();
    private final List<ManagedChannel> channels = new ArrayList<>();

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
            requests.add(request.build().toByteArray());
        }
        for (int i = 0; i < CHANNELS; i++) {
            channels.add(NettyChannelBuilder.forAddress("127.0.0.1", port)
                    .usePlaintext()
                    .directExecutor()
                    .disableRetry()
                    .build());
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
                ClientCalls.futureUnaryCall(
                        channels.get(request % CHANNELS).newCall(READ, CallOptions.DEFAULT), requests.get(request)),
                new FutureCallback<>() {
                    @Override
                    public void onSuccess(byte @Nullable [] answer) {
                        bytes.complete(answer == null ? 0 : answer.length);
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
    ReadFeaturesResponse answer(int request) throws InvalidProtocolBufferException {
        return ReadFeaturesResponse.parseFrom(ClientCalls.blockingUnaryCall(
                channels.get(0).newCall(READ, CallOptions.DEFAULT), requests.get(request)));
    }

    @Override
    public void close() {
        channels.forEach(ManagedChannel::shutdownNow);
    }
}
