package io.thalweg.qalm.armeria;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.DecoratingHttpServiceFunction;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.netty.util.AttributeKey;
import io.thalweg.qalm.Criticality;
import io.thalweg.qalm.Qalm;
import io.thalweg.qalm.wire.CallHeaders;
import io.thalweg.qalm.wire.Endpoints;
import io.thalweg.qalm.wire.PeerIdentity;

/** Puts each request into the lane of its endpoint. Runs on the event loop, as the headers arrive. */
final class LaneDecorator implements DecoratingHttpServiceFunction {
    static final AttributeKey<Criticality> CRITICALITY = AttributeKey.valueOf("qalm-criticality");

    private final Qalm qalm;

    LaneDecorator(Qalm qalm) {
        this.qalm = qalm;
    }

    @Override
    public HttpResponse serve(HttpService delegate, ServiceRequestContext context, HttpRequest request)
            throws Exception {
        boolean grpc = isGrpc(request);
        String endpoint = grpc
                ? context.path().substring(1)
                : context.method() + " " + context.config().route().patternString();
        if (Endpoints.unmanaged(endpoint)) {
            return delegate.serve(context, request);
        }
        long now = qalm.nanoTime();
        CallHeaders said = CallHeaders.read(request.headers()::get, Long.hashCode(now));
        String proven = PeerIdentity.of(context.sslSession());
        LaneRequest place = new LaneRequest(said, proven, now, grpc, delegate, context, request);
        return place.submitTo(qalm.lane(endpoint));
    }

    private static boolean isGrpc(HttpRequest request) {
        String type = request.headers().get("content-type");
        return type != null && type.startsWith("application/grpc");
    }
}
