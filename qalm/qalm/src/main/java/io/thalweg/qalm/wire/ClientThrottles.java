package io.thalweg.qalm.wire;

import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** One {@link ClientThrottle} for each endpoint that a client calls. <b>Threads.</b> Safe. */
public final class ClientThrottles {
    /** The maximum number of endpoints; paths that contain ids must not exhaust memory. */
    private static final int ENDPOINTS_MAX = 1_000;

    private final ConcurrentHashMap<String, ClientThrottle> throttles = new ConcurrentHashMap<>();
    private final LongSupplier nanoTime;

    public ClientThrottles(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** The throttle of an endpoint. */
    public ClientThrottle of(String endpoint) {
        ClientThrottle known = throttles.get(endpoint);
        if (known != null) {
            return known;
        }
        String name = throttles.size() >= ENDPOINTS_MAX ? "other" : endpoint;
        return throttles.computeIfAbsent(
                name, any -> new ClientThrottle(nanoTime, new SplittableRandom(any.hashCode())));
    }
}
