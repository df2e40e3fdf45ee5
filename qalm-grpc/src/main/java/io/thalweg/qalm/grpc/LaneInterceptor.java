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
import io.thalweg.qalm.wire.RefusalAnswer;
import io.thalweg.qalm.wire.Verdict;
import java.util.concurrent.ThreadLocalRandom;

/** Ends calls that were refused, tells lanes when the others have ended, and keeps how critical a call is in its context. */
final class LaneInterceptor implements ServerInterceptor {
    static final Context.Key<Criticality> CRITICALITY = Context.key("qalm-criticality");

    private static final Metadata.Key<String> PUSHBACK = LaneExecutors.ascii(CallHeaders.PUSHBACK);

    @Override
    public <ReqT, RespT> ServerCall.Listener<ReqT> interceptCall(
            ServerCall<ReqT, RespT> call, Metadata headers, ServerCallHandler<ReqT, RespT> next) {
        GrpcCall place = GrpcCall.current();
        if (place == null) {
            return next.startCall(call, headers);
        }
        Refusal reason = place.reason();
        return reason == null ? serve(place, call, headers, next) : refuse(place, reason, call);
    }

    private <ReqT, RespT> ServerCall.Listener<ReqT> refuse(
            GrpcCall place, Refusal reason, ServerCall<ReqT, RespT> call) {
        RefusalAnswer answer = RefusalAnswer.of(reason, place.criticality(), ThreadLocalRandom.current());
        // No headers before: clients heed the push-back in an answer of trailers only.
        Metadata trailers = new Metadata();
        trailers.put(PUSHBACK, Integer.toString(answer.pushbackMs()));
        Verdict.tell(place.lane(), place, reason, (name, value) -> trailers.put(LaneExecutors.ascii(name), value));
        call.close(Status.fromCodeValue(answer.grpcCode()).withDescription(answer.message()), trailers);
        return new ServerCall.Listener<>() {};
    }

    private <ReqT, RespT> ServerCall.Listener<ReqT> serve(
            GrpcCall place, ServerCall<ReqT, RespT> call, Metadata headers, ServerCallHandler<ReqT, RespT> next) {
        Context context = Context.current().withValue(CRITICALITY, place.criticality());
        boolean stream = call.getMethodDescriptor().getType() != MethodType.UNARY;
        try {
            ServerCall.Listener<ReqT> listener =
                    Contexts.interceptCall(context, new Watched<>(call, place), headers, next);
            if (stream) {
                place.release(Outcome.IGNORED);
            }
            return new Ended<>(listener, place);
        } catch (RuntimeException e) {
            place.release(Outcome.IGNORED);
            throw e;
        }
    }

    private static Outcome outcome(Status status) {
        return switch (status.getCode()) {
            case DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE -> Outcome.DROPPED;
            case CANCELLED -> Outcome.IGNORED;
            default -> Outcome.SUCCESS;
        };
    }

    /** Releases the place when the service answers. */
    private static final class Watched<ReqT, RespT> extends SimpleForwardingServerCall<ReqT, RespT> {
        private final GrpcCall place;

        Watched(ServerCall<ReqT, RespT> call, GrpcCall place) {
            super(call);
            this.place = place;
        }

        @Override
        public void close(Status status, Metadata trailers) {
            Verdict.tell(place.lane(), place, (name, value) -> trailers.put(LaneExecutors.ascii(name), value));
            place.release(outcome(status));
            super.close(status, trailers);
        }
    }

    /**
     * Releases the place when the call ends otherwise. These events wait for the service's code to return, so a call that was
     * cancelled holds its slot as long as it holds its worker.
     */
    private static final class Ended<ReqT> extends SimpleForwardingServerCallListener<ReqT> {
        private final GrpcCall place;

        Ended(ServerCall.Listener<ReqT> listener, GrpcCall place) {
            super(listener);
            this.place = place;
        }

        @Override
        public void onCancel() {
            Deadline deadline = Context.current().getDeadline();
            place.release(deadline != null && deadline.isExpired() ? Outcome.DROPPED : Outcome.IGNORED);
            super.onCancel();
        }

        @Override
        public void onComplete() {
            place.release(Outcome.IGNORED);
            super.onComplete();
        }
    }
}
