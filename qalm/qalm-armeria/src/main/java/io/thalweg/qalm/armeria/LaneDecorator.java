package io.thalweg.qalm.armeria;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.stream.StreamMessage;
import com.linecorp.armeria.server.DecoratingHttpServiceFunction;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.netty.util.AttributeKey;
import io.thalweg.qalm.Criticality;
import io.thalweg.qalm.Qalm;
import io.thalweg.qalm.wire.CallHeaders;
import io.thalweg.qalm.wire.Endpoints;
import org.jspecify.annotations.Nullable;

/** Submits each request to the lane of its endpoint. Runs on the event loop when the headers arrive. */
final class LaneDecorator implements DecoratingHttpServiceFunction {
    static final AttributeKey<Criticality> CRITICALITY = AttributeKey.valueOf("qalm-criticality");

    private final Qalm qalm;
    private final RequestForm form;

    LaneDecorator(Qalm qalm, RequestForm form) {
        this.qalm = qalm;
        this.form = form;
    }

    @Override
    public HttpResponse serve(HttpService delegate, ServiceRequestContext context, HttpRequest request)
            throws Exception {
        String endpoint = form.endpoint(context, request);
        if (endpoint == null || Endpoints.unmanaged(endpoint)) {
            return delegate.serve(context, request);
        }
        if (!form.whole()) {
            return submit(endpoint, delegate, context, request, 1);
        }
        return HttpResponse.of(request.aggregate(context.eventLoop())
                .handle((whole, failure) -> submitWhole(endpoint, delegate, context, request, whole, failure)));
    }

    private HttpResponse submitWhole(
            String endpoint,
            HttpService delegate,
            ServiceRequestContext context,
            HttpRequest request,
            @Nullable AggregatedHttpRequest whole,
            @Nullable Throwable failure) {
        if (whole != null) {
            HttpResponse answer = form.answer(context, whole);
            if (answer != null) {
                return answer;
            }
            HttpRequest arrived = whole.toHttpRequest();
            context.updateRequest(arrived);
            return submit(endpoint, delegate, context, arrived, form.weight(context, whole));
        }
        // The service itself responds to a request that is too long or broken.
        Throwable cause = failure == null ? new IllegalStateException("no request") : failure;
        try {
            return delegate.serve(context, HttpRequest.of(request.headers(), StreamMessage.aborted(cause)));
        } catch (Exception e) {
            return HttpResponse.ofFailure(e);
        }
    }

    private HttpResponse submit(
            String endpoint, HttpService delegate, ServiceRequestContext context, HttpRequest request, int weight) {
        long now = qalm.nanoTime();
        CallHeaders read = CallHeaders.read(request.headers()::get, Long.hashCode(now));
        return new ArmeriaCall(read, form.proven(context), now, weight, form, delegate, context, request)
                .submitTo(qalm.lane(endpoint));
    }
}
