package io.thalweg.server;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.server.DecoratingHttpServiceFunction;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.grpc.Status;
import io.thalweg.qalm.Call;
import io.thalweg.qalm.CallerPolicy;
import io.thalweg.qalm.EndpointPolicy;
import io.thalweg.qalm.LaneConfig;
import io.thalweg.qalm.Observer;
import io.thalweg.qalm.Outcome;
import io.thalweg.qalm.Policy;
import io.thalweg.qalm.QalmConfig;
import io.thalweg.qalm.armeria.ArmeriaQalm;
import io.thalweg.qalm.armeria.RequestForm;
import io.thalweg.qalm.live.LiveQalm;
import io.thalweg.qalm.live.Signal;
import io.thalweg.qalm.registry.Sources;
import io.thalweg.qalm.wire.CallHeaders;
import io.thalweg.qalm.wire.RefusalAnswer;
import io.thalweg.qalm.yaml.RulesYaml;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Load management in front of the server's endpoints: reads are admitted by criticality, refused in the server's own form. What
 * does not read always passes: health, metrics, reflection, the page of endpoints.
 */
final class Protection implements AutoCloseable {
    /**
     * Calls under way, for each thread that reads: a call holds its slot while its request and its answer change threads, too,
     * and meanwhile the thread reads for another.
     */
    private static final int SLOTS_PER_THREAD = 2;

    private final LiveQalm live;
    private final RecentTimes times;

    private Protection(LiveQalm live, RecentTimes times) {
        this.live = live;
        this.times = times;
    }

    static Protection start(ServerConfig config, Metrics metrics) {
        QalmMetrics shown = new QalmMetrics(metrics);
        QalmConfig slots = new QalmConfig(
                SLOTS_PER_THREAD * config.readThreads(), Runtime.getRuntime().availableProcessors());
        ServerConfig.Qalm said = config.qalm();
        Sources sources = new Sources(RulesYaml.NOTATION, said.rules(), said.control(), said.dir());
        RecentTimes times = new RecentTimes(System::nanoTime);
        boolean watched = config.adminPort() != null;
        Observer observer = watched ? new Both(shown, times) : shown;
        boolean ruled = sources.file() != null || sources.control() != null;
        LiveQalm live = !ruled && !watched
                ? LiveQalm.start(slots, everybodyAlike(said), observer)
                : LiveQalm.start(slots, sources, said.mode(), observer);
        live.watch(Signal.HEAP, Signal.COLLECTIONS);
        metrics.collect(collected -> shown.collect(live, collected));
        return new Protection(live, times);
    }

    private record Both(Observer one, Observer other) implements Observer {
        @Override
        public void released(String endpoint, Call call, Outcome outcome, long queueNanos, long serviceNanos) {
            one.released(endpoint, call, outcome, queueNanos, serviceNanos);
            other.released(endpoint, call, outcome, queueNanos, serviceNanos);
        }

        @Override
        public void refused(String endpoint, Call call, io.thalweg.qalm.Refusal reason) {
            one.refused(endpoint, call, reason);
            other.refused(endpoint, call, reason);
        }

        @Override
        public void failed(String endpoint, RuntimeException failure) {
            one.failed(endpoint, failure);
            other.failed(endpoint, failure);
        }
    }

    private static Policy everybodyAlike(ServerConfig.Qalm said) {
        LaneConfig lane = LaneConfig.DEFAULT.withMode(said.mode());
        return endpoint -> new EndpointPolicy(lane, caller -> CallerPolicy.DEFAULT);
    }

    DecoratingHttpServiceFunction decorator() {
        return ArmeriaQalm.server(live.qalm(), new Form());
    }

    LiveQalm live() {
        return live;
    }

    /** Filled only if there is an admin port. */
    RecentTimes times() {
        return times;
    }

    @Override
    public void close() {
        live.close();
    }

    private static final class Form implements RequestForm {
        @Override
        public @Nullable String endpoint(ServiceRequestContext context, HttpRequest request) {
            return RequestForm.isGrpc(request)
                    ? context.path().substring(1)
                    : HttpApi.endpoint(context.config().route().patternString());
        }

        @Override
        public boolean whole() {
            return true;
        }

        @Override
        public HttpResponse refused(RefusalAnswer refusal) {
            ResponseHeaders headers = ResponseHeaders.builder(refusal.httpStatus())
                    .contentType(MediaType.JSON_UTF_8)
                    .setInt(HttpHeaderNames.RETRY_AFTER, refusal.retryAfterSeconds())
                    .setInt(CallHeaders.PUSHBACK, refusal.pushbackMs())
                    .build();
            String status = Status.fromCodeValue(refusal.grpcCode()).getCode().name();
            byte[] body = JsonAnswers.error(refusal.httpStatus(), status, refusal.message(), List.of());
            return HttpResponse.of(headers, HttpData.wrap(body));
        }
    }
}
