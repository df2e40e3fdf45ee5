package io.thalweg.server.health;

import io.grpc.Status;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.StreamObserver;
import io.thalweg.api.v1.ServingServiceGrpc;
import io.thalweg.server.read.GrpcCalls;
import io.thalweg.server.read.Readers;
import java.util.Set;

/** {@code /readyz} as gRPC's health check; {@code Watch} answers UNIMPLEMENTED, after which clients treat the server as healthy. */
public final class GrpcHealth extends HealthGrpc.HealthImplBase {
    private static final Set<String> SERVICES =
            Set.of("", ServingServiceGrpc.SERVICE_NAME, io.thalweg.api.feast.ServingServiceGrpc.SERVICE_NAME);

    private final Readiness readiness;
    private final Readers readers;

    public GrpcHealth(Readiness readiness, Readers readers) {
        this.readiness = readiness;
        this.readers = readers;
    }

    @Override
    public void check(HealthCheckRequest request, StreamObserver<HealthCheckResponse> observer) {
        if (!SERVICES.contains(request.getService())) {
            observer.onError(Status.NOT_FOUND
                    .withDescription("service: is not served; leave it out for the whole server")
                    .asRuntimeException());
            return;
        }
        GrpcCalls.answer(
                readers,
                observer,
                () -> HealthCheckResponse.newBuilder()
                        .setStatus(readiness.look().isReady() ? ServingStatus.SERVING : ServingStatus.NOT_SERVING)
                        .build());
    }
}
