package io.thalweg.server;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.server.DecoratingHttpServiceFunction;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.grpc.Status;
import io.netty.util.AttributeKey;
import io.thalweg.qalm.Call;
import io.thalweg.qalm.CallerPolicy;
import io.thalweg.qalm.Criticality;
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
import io.thalweg.server.access.Authentication;
import io.thalweg.server.http.HttpErrors;
import io.thalweg.server.http.RefusedRequestException;
import io.thalweg.server.read.ReadSize;
import io.thalweg.server.region.GrpcScans;
import io.thalweg.server.region.JsonScans;
import io.thalweg.server.telemetry.Metrics;
import io.thalweg.server.telemetry.QalmMetrics;
import io.thalweg.server.telemetry.RecentTimes;
import io.thalweg.server.versions.ServedViews;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Load management in front of the server's endpoints: reads are admitted by criticality and refused in the server's own form.
 * Everything else always passes: health, metrics, reflection, the list of endpoints.
 */
final class Protection implements AutoCloseable {
    /**
     * Calls in progress for each read thread. A call also holds its slot while its request and its answer move between threads;
     * meanwhile its thread works on another read.
     */
    private static final int SLOTS_PER_THREAD = 2;

    private static final String CONSOLE = "thalweg-console";

    private final LiveQalm live;
    private final RecentTimes times;
    private final FeatureCounts features;
    private final ServedViews views;

    private Protection(LiveQalm live, RecentTimes times, ServedViews views) {
        this.live = live;
        this.times = times;
        this.features = FeatureCounts.of(views);
        this.views = views;
    }

    static Protection start(ServerConfig config, ServedViews views, Metrics metrics) {
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
        return new Protection(live, times, views);
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
        return ArmeriaQalm.server(live.qalm(), new Form(features, views, null));
    }

    /** Returns the decorator for reads of the console, which count as those of a single caller and are the first to be shed. */
    DecoratingHttpServiceFunction consoleDecorator() {
        DecoratingHttpServiceFunction protect = ArmeriaQalm.server(live.qalm(), new Form(features, views, CONSOLE));
        return (delegate, ctx, request) -> {
            HttpRequest background = request.mapHeaders(headers -> headers.toBuilder()
                    .set(CallHeaders.CRITICALITY, String.valueOf(Criticality.BACKGROUND.level()))
                    .build());
            ctx.updateRequest(background);
            return protect.serve(delegate, ctx, background);
        };
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

    /** The number of features of each view, and of all views together. */
    private record FeatureCounts(ServedViews views, int all) {
        static FeatureCounts of(ServedViews views) {
            return new FeatureCounts(
                    views,
                    views.all().stream()
                            .mapToInt(view -> view.featureNames().size() + 1)
                            .sum());
        }

        /** The number of features of one view, or of all views if the request's path does not name one. */
        int of(@Nullable String view) {
            return view == null
                    ? all
                    : views.find(view).map(found -> found.featureNames().size()).orElse(all);
        }
    }

    private static final class Form implements RequestForm {
        private static final ReadSize NOTHING = new ReadSize(1, 1);
        private static final AttributeKey<ReadSize> SIZE = AttributeKey.valueOf(ReadSize.class, "SIZE");

        /** Enough for a region of 1,000 points and 1,000 values; a longer body is refused before it is parsed. */
        private static final int SCAN_BYTES_MAX = 128 << 10;

        private final FeatureCounts features;
        private final ServedViews views;

        private final @Nullable String caller;

        /**
         * Creates a form. {@code caller} is the caller of all requests; null = each is authenticated or names its caller in its
         * headers.
         */
        Form(FeatureCounts features, ServedViews views, @Nullable String caller) {
            this.caller = caller;
            this.features = features;
            this.views = views;
        }

        @Override
        public @Nullable String endpoint(ServiceRequestContext context, HttpRequest request) {
            if (!RequestForm.isGrpc(request)) {
                return HttpApi.endpoint(context.config().route().patternString());
            }
            // A path that is not served gets no lane, because clients may send any number of such paths.
            return context.config().route().isFallback() ? null : context.path().substring(1);
        }

        @Override
        public boolean whole() {
            return true;
        }

        /** Refuses a body with more names than there are features after a scan of its bytes, before it is parsed. */
        @Override
        public @Nullable HttpResponse answer(ServiceRequestContext context, AggregatedHttpRequest request) {
            String query = isTiles(context) ? context.queryParam("q") : null;
            byte[] body = query == null ? request.content().array() : query.getBytes(StandardCharsets.UTF_8);
            if (isScan(context) && body.length > SCAN_BYTES_MAX) {
                return HttpErrors.answer(
                        context,
                        RefusedRequestException.invalid(
                                "the body of a scan must have at most %d bytes, had %d; simplify its polygon"
                                        .formatted(SCAN_BYTES_MAX, body.length)));
            }
            ReadSize size = isScan(context) || isTiles(context) ? scanSize(context, body) : size(context, body);
            context.setAttr(SIZE, size);
            int most = features.of(context.pathParam("name"));
            if (size.features() <= most) {
                return null;
            }
            return HttpErrors.answer(
                    context,
                    RefusedRequestException.invalid(
                            "features: there are %d to name, was %d names; leave features out for all"
                                    .formatted(most, size.features())));
        }

        private static boolean isScan(ServiceRequestContext context) {
            return context.path().endsWith(RequestForm.isGrpc(context.request()) ? GrpcApi.SCAN_PATH : ":scan");
        }

        private static boolean isTiles(ServiceRequestContext context) {
            return context.path().startsWith("/v1/console/") && context.path().endsWith("/tiles");
        }

        /** Returns the size of a scan; a request that cannot be parsed has the least, because it will be refused. */
        private ReadSize scanSize(ServiceRequestContext context, byte[] body) {
            try {
                if (RequestForm.isGrpc(context.request())) {
                    return GrpcScans.size(body, views);
                }
                return views.find(String.valueOf(context.pathParam("name")))
                        .map(view -> JsonScans.parse(view, body).size())
                        .orElse(NOTHING);
            } catch (RefusedRequestException e) {
                return NOTHING;
            }
        }

        private static ReadSize size(ServiceRequestContext context, byte[] body) {
            if (RequestForm.isGrpc(context.request())) {
                if (context.path().startsWith("/feast.")) {
                    return ReadSize.ofFeastGrpc(body);
                }
                boolean history = context.path().endsWith(GrpcApi.HISTORY_PATH);
                return history ? ReadSize.ofGrpcHistory(body) : ReadSize.ofGrpc(body);
            }
            if (context.path().endsWith(":history")) {
                return ReadSize.ofHistory(body);
            }
            return context.pathParam("name") == null ? ReadSize.ofFeast(body) : ReadSize.ofJson(body);
        }

        @Override
        public int weight(ServiceRequestContext context, AggregatedHttpRequest request) {
            ReadSize size = context.attr(SIZE);
            return size == null ? 1 : size.weight(features.of(context.pathParam("name")));
        }

        @Override
        public @Nullable String proven(ServiceRequestContext context) {
            return caller == null ? Authentication.callerOf(context) : caller;
        }

        @Override
        public HttpResponse refused(RefusalAnswer refusal) {
            ResponseHeaders headers = ResponseHeaders.builder(refusal.httpStatus())
                    .contentType(MediaType.JSON_UTF_8)
                    .setInt(HttpHeaderNames.RETRY_AFTER, refusal.retryAfterSeconds())
                    .setInt(CallHeaders.PUSHBACK, refusal.pushbackMs())
                    .build();
            String status = Status.fromCodeValue(refusal.grpcCode()).getCode().name();
            byte[] body = HttpErrors.body(refusal.httpStatus(), status, refusal.message(), List.of());
            return HttpResponse.of(headers, HttpData.wrap(body));
        }
    }
}
