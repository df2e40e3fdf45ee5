package io.thalweg.qalm.armeria;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.ResponseHeadersBuilder;
import com.linecorp.armeria.common.logging.RequestLog;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.RequestTimeoutException;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.thalweg.qalm.Lane;
import io.thalweg.qalm.Outcome;
import io.thalweg.qalm.Refusal;
import io.thalweg.qalm.wire.CallHeaders;
import io.thalweg.qalm.wire.DecisionHeaders;
import io.thalweg.qalm.wire.RefusalAnswer;
import io.thalweg.qalm.wire.StatusOutcome;
import io.thalweg.qalm.wire.WireCall;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** A request in a lane, and its future answer. */
final class ArmeriaCall extends WireCall {
    private final RequestForm form;
    private final HttpService service;
    private final ServiceRequestContext context;
    private final HttpRequest request;
    private final CompletableFuture<HttpResponse> answer = new CompletableFuture<>();
    private @Nullable Lane lane;

    ArmeriaCall(
            CallHeaders headers,
            @Nullable String proven,
            long arrivalNanos,
            int weight,
            RequestForm form,
            HttpService service,
            ServiceRequestContext context,
            HttpRequest request) {
        super(headers, proven, arrivalNanos);
        weight(weight);
        this.form = form;
        this.service = service;
        this.context = context;
        this.request = request;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // Armeria completes it normally
    HttpResponse submitTo(Lane chosen) {
        lane = chosen;
        chosen.submit(this);
        if (answer.isDone()) {
            return answer.join();
        }
        context.whenRequestCancelling().thenRun(this::cancel);
        return HttpResponse.of(answer);
    }

    @Override
    protected void admitted() {
        proceed(this::serve);
    }

    /**
     * Continues this request on its event loop. The decision may be made while another request runs on the same loop. This request then
     * continues after it: Armeria does not run one request within another, and would answer with status 500.
     */
    private void proceed(Runnable next) {
        ServiceRequestContext within = ServiceRequestContext.currentOrNull();
        if (context.eventLoop().inEventLoop() && (within == null || within == context)) {
            next.run();
        } else {
            context.eventLoop().execute(next);
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // Armeria completes logs normally
    private void serve() {
        context.setAttr(LaneDecorator.CRITICALITY, criticality());
        context.log().whenComplete().thenAccept(log -> release(outcome(log)));
        writeDecision(null);
        begin();
        try {
            answer.complete(context.run(() -> service.serve(context, request)));
        } catch (Exception e) {
            answer.complete(HttpResponse.ofFailure(e));
        }
    }

    private void writeDecision(@Nullable Refusal reason) {
        if (lane != null) {
            DecisionHeaders.write(
                    lane,
                    this,
                    reason,
                    (name, value) -> context.mutateAdditionalResponseHeaders(added -> added.set(name, value)));
        }
    }

    private static Outcome outcome(RequestLog log) {
        Throwable cause = log.responseCause();
        if (cause instanceof RequestTimeoutException) {
            return Outcome.DROPPED;
        }
        // The status precedes the cause, because Armeria sets a cause for every gRPC status but OK.
        Integer grpcStatus = log.responseTrailers().getInt("grpc-status");
        if (grpcStatus == null) {
            grpcStatus = log.responseHeaders().getInt("grpc-status");
        }
        if (grpcStatus != null) {
            return StatusOutcome.ofGrpc(grpcStatus);
        }
        return cause != null
                ? Outcome.IGNORED
                : StatusOutcome.ofHttp(log.responseHeaders().status().code());
    }

    @Override
    protected void refused(Refusal reason) {
        proceed(() -> {
            writeDecision(reason);
            RefusalAnswer refusal = RefusalAnswer.of(reason, criticality(), ThreadLocalRandom.current());
            answer.complete(RequestForm.isGrpc(request) ? grpc(refusal) : form.refused(refusal));
        });
    }

    /** Creates a trailers-only gRPC response: one block of headers that ends the stream. */
    private static HttpResponse grpc(RefusalAnswer refusal) {
        ResponseHeadersBuilder headers = ResponseHeaders.builder(HttpStatus.OK)
                .set(HttpHeaderNames.CONTENT_TYPE, "application/grpc")
                .setInt("grpc-status", refusal.grpcCode())
                .set("grpc-message", refusal.message())
                .setInt(CallHeaders.PUSHBACK, refusal.pushbackMs());
        return HttpResponse.of(headers.build());
    }
}
