package io.thalweg.qalm.grpc;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors.CheckedForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusException;
import io.thalweg.qalm.Criticality;
import io.thalweg.qalm.wire.CallHeaders;
import io.thalweg.qalm.wire.ClientThrottle;
import io.thalweg.qalm.wire.ClientThrottles;
import org.jspecify.annotations.Nullable;

/** The client interceptor of {@link GrpcQalm#client}. */
final class PropagatingInterceptor implements ClientInterceptor {
    private static final Metadata.Key<String> CALLER = LaneExecutors.ascii(CallHeaders.CALLER);
    private static final Metadata.Key<String> CRITICALITY = LaneExecutors.ascii(CallHeaders.CRITICALITY);
    private static final Metadata.Key<String> PUSHBACK = LaneExecutors.ascii(CallHeaders.PUSHBACK);
    private static final Metadata.Key<String> THRESHOLD = LaneExecutors.ascii(CallHeaders.THRESHOLD);

    private final String caller;
    private final ClientThrottles throttles;

    PropagatingInterceptor(String caller, ClientThrottles throttles) {
        this.caller = caller;
        this.throttles = throttles;
    }

    @Override
    public <ReqT, RespT> ClientCall<ReqT, RespT> interceptCall(
            MethodDescriptor<ReqT, RespT> method, CallOptions options, Channel next) {
        Criticality criticality = LaneInterceptor.CRITICALITY.get();
        ClientThrottle throttle = throttles.of(next.authority() + "/" + method.getFullMethodName());
        return new Propagating<>(next.newCall(method, options), throttle, criticality);
    }

    private final class Propagating<ReqT, RespT> extends CheckedForwardingClientCall<ReqT, RespT> {
        private final ClientThrottle throttle;
        private final @Nullable Criticality forwarded;

        Propagating(ClientCall<ReqT, RespT> call, ClientThrottle throttle, @Nullable Criticality forwarded) {
            super(call);
            this.throttle = throttle;
            this.forwarded = forwarded;
        }

        @Override
        protected void checkedStart(Listener<RespT> listener, Metadata headers) throws StatusException {
            if (forwarded != null && !headers.containsKey(CRITICALITY)) {
                headers.put(CRITICALITY, Integer.toString(forwarded.level()));
            }
            if (!headers.containsKey(CALLER)) {
                headers.put(CALLER, caller);
            }
            // Without the header the server decides; level 2 is its default.
            Criticality asked = Criticality.parse(headers.get(CRITICALITY));
            Criticality criticality = asked == null ? Criticality.FEATURE : asked;
            if (!throttle.send(criticality)) {
                throw Status.RESOURCE_EXHAUSTED
                        .withDescription("not sent: the server refuses calls of level " + criticality.level())
                        .asException();
            }
            delegate().start(new Recording<>(listener, throttle, criticality), headers);
        }
    }

    private static final class Recording<RespT> extends SimpleForwardingClientCallListener<RespT> {
        private final ClientThrottle throttle;
        private final Criticality criticality;

        Recording(ClientCall.Listener<RespT> listener, ClientThrottle throttle, Criticality criticality) {
            super(listener);
            this.throttle = throttle;
            this.criticality = criticality;
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            boolean refused = trailers.containsKey(PUSHBACK);
            throttle.answered(criticality, !refused, trailers.get(THRESHOLD));
            super.onClose(status, trailers);
        }
    }
}
