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
import io.thalweg.qalm.CallerPolicy;
import io.thalweg.qalm.EndpointPolicy;
import io.thalweg.qalm.LaneConfig;
import io.thalweg.qalm.Policy;
import io.thalweg.qalm.QalmConfig;
import io.thalweg.qalm.armeria.ArmeriaQalm;
import io.thalweg.qalm.armeria.RequestForm;
import io.thalweg.qalm.live.LiveQalm;
import io.thalweg.qalm.wire.CallHeaders;
import io.thalweg.qalm.wire.RefusalAnswer;
import java.nio.file.Path;
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

    private Protection(LiveQalm live) {
        this.live = live;
    }

    static Protection start(ServerConfig config, Metrics metrics) {
        QalmMetrics shown = new QalmMetrics(metrics);
        QalmConfig slots = new QalmConfig(
                SLOTS_PER_THREAD * config.readThreads(), Runtime.getRuntime().availableProcessors());
        ServerConfig.Qalm said = config.qalm();
        Path rules = said.rules();
        LiveQalm live = rules == null
                ? LiveQalm.start(slots, everybodyAlike(said), shown)
                : LiveQalm.start(slots, rules, said.dir(), said.mode(), shown);
        metrics.collect(collected -> shown.collect(live, collected));
        return new Protection(live);
    }

    private static Policy everybodyAlike(ServerConfig.Qalm said) {
        LaneConfig lane = LaneConfig.DEFAULT.withMode(said.mode());
        return endpoint -> new EndpointPolicy(lane, caller -> CallerPolicy.DEFAULT);
    }

    DecoratingHttpServiceFunction decorator() {
        return ArmeriaQalm.server(live.qalm(), new Form());
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
