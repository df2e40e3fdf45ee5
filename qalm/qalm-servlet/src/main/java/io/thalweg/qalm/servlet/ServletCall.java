package io.thalweg.qalm.servlet;

import io.thalweg.qalm.Lane;
import io.thalweg.qalm.Outcome;
import io.thalweg.qalm.Refusal;
import io.thalweg.qalm.wire.CallHeaders;
import io.thalweg.qalm.wire.DecisionHeaders;
import io.thalweg.qalm.wire.RefusalAnswer;
import io.thalweg.qalm.wire.StatusOutcome;
import io.thalweg.qalm.wire.WireCall;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** A request in a lane. */
final class ServletCall extends WireCall implements AsyncListener {
    /** Completed once: empty if admitted. */
    private final CompletableFuture<Optional<Refusal>> decision = new CompletableFuture<>();

    private final Lane lane;
    private boolean begun;

    ServletCall(CallHeaders headers, @Nullable String proven, long arrivalNanos, Lane lane) {
        super(headers, proven, arrivalNanos);
        this.lane = lane;
    }

    @Override
    protected void admitted() {
        decision.complete(Optional.empty());
    }

    @Override
    protected void refused(Refusal reason) {
        decision.complete(Optional.of(reason));
    }

    /** Releases the thread until there is a decision; returns false if there is one or the request does not support async. */
    @SuppressWarnings("FutureReturnValueIgnored") // resume does not fail
    boolean parked(HttpServletRequest request) {
        if (decision.isDone() || !request.isAsyncSupported()) {
            return false;
        }
        AsyncContext waiting = request.startAsync();
        waiting.setTimeout(0);
        waiting.addListener(this);
        decision.thenRun(() -> resume(waiting));
        return true;
    }

    private void resume(AsyncContext waiting) {
        try {
            waiting.dispatch();
        } catch (IllegalStateException e) {
            // The connection was closed in the meantime.
            release(Outcome.IGNORED);
        }
    }

    /** Serves or refuses the request; waits for the decision if there is none. */
    void proceed(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Optional<Refusal> refusal = decision.join();
        if (refusal.isPresent()) {
            refuse(refusal.get(), response);
        } else if (begun) {
            // The service itself redispatched the request.
            chain.doFilter(request, response);
        } else {
            serve(request, response, chain);
        }
    }

    private void serve(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        begun = true;
        DecisionHeaders.write(lane, this, response::setHeader);
        begin();
        try {
            chain.doFilter(request, response);
        } catch (IOException | ServletException | RuntimeException e) {
            release(Outcome.IGNORED);
            throw e;
        }
        if (request.isAsyncStarted()) {
            request.getAsyncContext().addListener(this, request, response);
        } else {
            release(StatusOutcome.ofHttp(response.getStatus()));
        }
    }

    private void refuse(Refusal reason, HttpServletResponse response) throws IOException {
        RefusalAnswer answer = RefusalAnswer.of(reason, criticality(), ThreadLocalRandom.current());
        response.setStatus(answer.httpStatus());
        DecisionHeaders.write(lane, this, reason, response::setHeader);
        response.setHeader("Retry-After", Integer.toString(answer.retryAfterSeconds()));
        response.setHeader(CallHeaders.PUSHBACK, Integer.toString(answer.pushbackMs()));
        response.setContentType("application/problem+json");
        response.getWriter().write(answer.problemJson());
    }

    @Override
    public void onComplete(AsyncEvent event) {
        release(
                event.getSuppliedResponse() instanceof HttpServletResponse response
                        ? StatusOutcome.ofHttp(response.getStatus())
                        : Outcome.IGNORED);
    }

    @Override
    public void onTimeout(AsyncEvent event) {
        release(Outcome.DROPPED);
    }

    @Override
    public void onError(AsyncEvent event) {
        cancel();
        release(Outcome.IGNORED);
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
        event.getAsyncContext().addListener(this, event.getSuppliedRequest(), event.getSuppliedResponse());
    }
}
