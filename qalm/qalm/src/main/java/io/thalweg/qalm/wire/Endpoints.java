package io.thalweg.qalm.wire;

import java.util.Set;

/** Names of endpoints. */
public final class Endpoints {
    private static final Set<String> PROBES = Set.of("/healthz", "/livez", "/readyz", "/metrics");

    private Endpoints() {}

    /**
     * Whether an endpoint has no lane: health checks, reflection and metrics, which must also work under overload. Names are
     * {@code package.Service/Method} or {@code GET /path}.
     */
    public static boolean unmanaged(String endpoint) {
        return endpoint.startsWith("grpc.health.")
                || endpoint.startsWith("grpc.reflection.")
                || PROBES.contains(endpoint.substring(endpoint.indexOf(' ') + 1));
    }
}
