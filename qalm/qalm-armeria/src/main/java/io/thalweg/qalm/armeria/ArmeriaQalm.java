package io.thalweg.qalm.armeria;

import com.linecorp.armeria.client.DecoratingHttpClientFunction;
import com.linecorp.armeria.server.DecoratingHttpServiceFunction;
import io.thalweg.qalm.Qalm;
import io.thalweg.qalm.wire.ClientThrottles;

/** Adds load management to an Armeria server or client, each with one method call. */
public final class ArmeriaQalm {
    private ArmeriaQalm() {}

    /**
     * Protects all services of a server: {@code server.decorator(ArmeriaQalm.server(qalm))}. The endpoint of a gRPC call is the
     * full name of its method; that of any other request is its method and route, such as {@code GET /v1/views}. Waiting calls
     * hold no thread. Health checks, reflection and metrics always pass.
     *
     * <p>A gRPC stream holds its slot until it ends: set the mode of its endpoint to {@code off} in the rules.
     */
    public static DecoratingHttpServiceFunction server(Qalm qalm) {
        return server(qalm, RequestForm.DEFAULT);
    }

    /** Protects all services of a server, with custom endpoint names or a custom error format. */
    public static DecoratingHttpServiceFunction server(Qalm qalm, RequestForm form) {
        return new LaneDecorator(qalm, form);
    }

    /**
     * Makes a client send its name, and the criticality and remaining time of the request being served, and hold back requests
     * that the server would refuse: {@code client.decorator(ArmeriaQalm.client("checkout"))}.
     *
     * @param caller the name of this service in the rules of others
     */
    public static DecoratingHttpClientFunction client(String caller) {
        return new PropagatingDecorator(caller, new ClientThrottles(System::nanoTime));
    }
}
