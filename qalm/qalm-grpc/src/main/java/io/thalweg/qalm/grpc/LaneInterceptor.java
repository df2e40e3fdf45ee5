package io.thalweg.qalm.grpc;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Deadline;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.thalweg.qalm.Criticality;
import io.thalweg.qalm.Outcome;
import io.thalweg.qalm.Refusal;
import io.thalweg.qalm.wire.CallHeaders;
import io.thalweg.qalm.wire.DecisionHeaders;
import io.thalweg.qalm.wire.RefusalAnswer;
import io.thalweg.qalm.wire.StatusOutcome;
import java.util.concurrent.ThreadLocalRandom;

/** Closes refused calls, releases the others when they end, and puts the criticality of a call into its context. */
final class LaneInterceptor implements ServerInterceptor {
    static final Context.Key<Criticality> CRITICALITY = Context.key("qalm-criticality");

    private static final Metadata.Key<String> PUSHBACK = LaneExecutors.ascii(CallHeaders.PUSHBACK);

    @Override
    public <ReqT, RespT> ServerCall.Listener<ReqT> interceptCall(
            ServerCall<ReqT, RespT> call, Metadata headers, ServerCallHandler<ReqT, RespT> next) {
        GrpcCall admission = GrpcCall.current();
        if (admission == null) {
            return next.startCall(call, headers);
        }
        Refusal reason = admission.reason();
        return reason == null ? serve(admission, call, headers, next) : refuse(admission, reason, call);
    }

    private <ReqT, RespT> ServerCall.Listener<ReqT> refuse(
            GrpcCall admission, Refusal reason, ServerCall<ReqT, RespT> call) {
        RefusalAnswer answer = RefusalAnswer.of(reason, admission.criticality(), ThreadLocalRandom.current());
        // No headers before the trailers: clients honor the pushback only in a trailers-only response.
        Metadata trailers = new Metadata();
        trailers.put(PUSHBACK, Integer.toString(answer.pushbackMs()));
        DecisionHeaders.write(
                admission.lane(), admission, reason, (name, value) -> trailers.put(LaneExecutors.ascii(name), value));
        call.close(Status.fromCodeValue(answer.grpcCode()).withDescription(answer.message()), trailers);
        return new ServerCall.Listener<>() {};
    }

    private <ReqT, RespT> ServerCall.Listener<ReqT> serve(
            GrpcCall admission, ServerCall<ReqT, RespT> call, Metadata headers, ServerCallHandler<ReqT, RespT> next) {
        Context context = Context.current().withValue(CRITICALITY, admission.criticality());
        boolean stream = call.getMethodDescriptor().getType() != MethodType.UNARY;
        try {
            ServerCall.Listener<ReqT> listener =
                    Contexts.interceptCall(context, new Watched<>(call, admission), headers, next);
            if (stream) {
                admission.release(Outcome.IGNORED);
            }
            return new Ended<>(listener, admission);
        } catch (RuntimeException e) {
            admission.release(Outcome.IGNORED);
            throw e;
        }
    }

    /** Releases the call when the service answers. */
    private static final class Watched<ReqT, RespT> extends SimpleForwardingServerCall<ReqT, RespT> {
        private final GrpcCall admission;

        Watched(ServerCall<ReqT, RespT> call, GrpcCall admission) {
            super(call);
            this.admission = admission;
        }

        @Override
        public void close(Status status, Metadata trailers) {
            DecisionHeaders.write(
                    admission.lane(), admission, (name, value) -> trailers.put(LaneExecutors.ascii(name), value));
            admission.release(StatusOutcome.ofGrpc(status.getCode().value()));
            super.close(status, trailers);
        }
    }

    /**
     * Releases the call when it ends without an answer. These events are delivered after the service's code returns, so a cancelled call
     * holds its slot as long as it holds its worker.
     */
    private static final class Ended<ReqT> extends SimpleForwardingServerCallListener<ReqT> {
        private final GrpcCall admission;

        Ended(ServerCall.Listener<ReqT> listener, GrpcCall admission) {
            super(listener);
            this.admission = admission;
        }

        @Override
        public void onCancel() {
            Deadline deadline = Context.current().getDeadline();
            admission.release(deadline != null && deadline.isExpired() ? Outcome.DROPPED : Outcome.IGNORED);
            super.onCancel();
        }

        @Override
        public void onComplete() {
            admission.release(Outcome.IGNORED);
            super.onComplete();
        }
    }
}
