package io.thalweg.qalm.armeria;

import com.linecorp.armeria.client.DecoratingHttpClientFunction;
import com.linecorp.armeria.server.DecoratingHttpServiceFunction;
import io.thalweg.qalm.Qalm;
import io.thalweg.qalm.wire.ClientThrottles;

/** Turns load management on for an Armeria server or client: one line each. */
public final class ArmeriaQalm {
    private ArmeriaQalm() {}

    /**
     * Protects all services of a server: {@code server.decorator(ArmeriaQalm.server(qalm))}. gRPC methods are endpoints by their
     * full name, others by method and route, as {@code GET /v1/views}. Calls wait without a thread. Health checks, reflection
     * and metrics always pass.
     *
     * <p>gRPC streams hold their slot to the end: switch their endpoints {@code off} in the registry.
     */
    public static DecoratingHttpServiceFunction server(Qalm qalm) {
        return server(qalm, RequestForm.USUAL);
    }

    /** The same for a server with names of endpoints, or errors, of its own. */
    public static DecoratingHttpServiceFunction server(Qalm qalm, RequestForm form) {
        return new LaneDecorator(qalm, form);
    }

    /**
     * Makes a client pass on, from the request that is being served, how critical it is and how long its caller still waits, say
     * who calls, and keep back what the server would refuse: {@code client.decorator(ArmeriaQalm.client("checkout"))}.
     *
     * @param caller the name of this service, as registries know it
     */
    public static DecoratingHttpClientFunction client(String caller) {
        return new PropagatingDecorator(caller, new ClientThrottles(System::nanoTime));
    }
}
