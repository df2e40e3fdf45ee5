package io.thalweg.bench.load;

import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.MoreExecutors;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.thalweg.api.v1.AnswerForm;
import io.thalweg.api.v1.EntityKey;
import io.thalweg.api.v1.EntityValue;
import io.thalweg.api.v1.ReadFeaturesRequest;
import io.thalweg.api.v1.ReadFeaturesResponse;
import io.thalweg.api.v1.ServingServiceGrpc;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;

/** Reads by gRPC, over a few connections. Messages stay bytes, because the measured server shares its cores with the caller. */
public final class GrpcReaders implements Readers {
    /** The number of connections. */
    public static final int CHANNELS = 4;

    private static final MethodDescriptor.Marshaller<byte[]> BYTES = new BytesMarshaller();

    private static final MethodDescriptor<byte[], byte[]> READ =
            ServingServiceGrpc.getReadFeaturesMethod().toBuilder(BYTES, BYTES).build();

    private final List<byte[]> requests;
    private final List<ManagedChannel> channels;

    /** Connects to a server on this machine. */
    public GrpcReaders(int port, List<ReadFeaturesRequest> requests) {
        this.requests = requests.stream().map(ReadFeaturesRequest::toByteArray).toList();
        channels = channels(port);
    }

    /** Connects {@link #CHANNELS} times to a port of this machine; answers are handled by the threads that receive them. */
    public static List<ManagedChannel> channels(int port) {
        return Stream.generate(() -> NettyChannelBuilder.forAddress("127.0.0.1", port)
                        .usePlaintext()
                        .directExecutor()
                        .disableRetry()
                        .build())
                .limit(CHANNELS)
                .toList();
    }

    /** Returns a request for rows of a view by keys that are texts. */
    public static ReadFeaturesRequest request(String view, List<Map<String, String>> keys) {
        ReadFeaturesRequest.Builder request = ReadFeaturesRequest.newBuilder().setView(view);
        for (Map<String, String> key : keys) {
            EntityKey.Builder entity = EntityKey.newBuilder();
            key.forEach((name, value) -> entity.putValues(
                    name, EntityValue.newBuilder().setStringValue(value).build()));
            request.addEntities(entity);
        }
        return request.build();
    }

    /** Returns a request in this form for each list of keys. */
    public static List<ReadFeaturesRequest> requests(
            String view, Stream<List<Map<String, String>>> keys, AnswerForm form) {
        return keys.map(each -> request(view, each).toBuilder().setForm(form).build())
                .toList();
    }

    @Override
    public int requests() {
        return requests.size();
    }

    /** Returns a {@link ReadFeaturesResponse}. */
    @Override
    public CompletableFuture<byte[]> read(int request) {
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        ListenableFuture<byte[]> call = ClientCalls.futureUnaryCall(
                channels.get(request % CHANNELS).newCall(READ, CallOptions.DEFAULT), requests.get(request));
        call.addListener(
                () -> {
                    try {
                        answer.complete(Futures.getDone(call));
                    } catch (ExecutionException e) {
                        answer.completeExceptionally(e.getCause());
                    }
                },
                MoreExecutors.directExecutor());
        return answer;
    }

    @Override
    public void close() {
        channels.forEach(ManagedChannel::shutdownNow);
    }

    /** Passes messages through as bytes, so that a measurement does not include the time to parse them. */
    public static final class BytesMarshaller implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
