package io.thalweg.server.console;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServerListener;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.ViewFingerprint;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.server.health.Readiness;
import io.thalweg.server.http.AnswerJson;
import io.thalweg.server.http.RefusedRequestException;
import io.thalweg.server.read.FeatureReader;
import io.thalweg.server.read.JsonAnswers;
import io.thalweg.server.read.Readers;
import io.thalweg.server.telemetry.Metrics;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The views of this server with the state of each, for the console: its freshness and its counts. The counts are the series of
 * {@code /metrics} whose label {@code view} is its name, so they have a single source.
 */
public final class ConsoleViews {
    private static final Logger LOG = LoggerFactory.getLogger(ConsoleViews.class);
    private static final double RATE_LIMIT = 1e12;

    private final FeatureReader reader;
    private final Readiness readiness;
    private final Readers readers;
    private final Metrics metrics;
    private final ViewInsight insight;
    private final IntSupplier servingPort;
    private final Map<String, ViewTrend> trends = new ConcurrentHashMap<>();

    /**
     * Creates the routes for the views of a reader.
     *
     * @param insight what else is known about them
     * @param servingPort of the feature port; called once the server listens
     */
    public ConsoleViews(
            FeatureReader reader,
            Readiness readiness,
            Readers readers,
            Metrics metrics,
            ViewInsight insight,
            IntSupplier servingPort) {
        this.reader = reader;
        this.readiness = readiness;
        this.readers = readers;
        this.metrics = metrics;
        this.insight = insight;
        this.servingPort = servingPort;
    }

    /** Adds the routes, and follows the views as long as the server runs. */
    public void addTo(ServerBuilder server) {
        ScheduledExecutorService samples = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "thalweg-trends");
            thread.setDaemon(true);
            return thread;
        });
        server.serverListener(ServerListener.builder()
                .whenStarted(started -> {
                    var unused =
                            samples.scheduleAtFixedRate(this::sample, 0, ViewTrend.EVERY_MS, TimeUnit.MILLISECONDS);
                })
                .whenStopping(stopping -> samples.shutdownNow())
                .build());
        server.route().get("/v1/console/views").build(answers(ctx -> list()));
        server.route().get("/v1/console/views/{name}/state").build(answers(ctx -> state(view(ctx))));
        server.route().get("/v1/console/views/{name}/definition").build(answers(ctx -> definition(view(ctx))));
        server.route().get("/v1/console/views/{name}/footprint").build(answers(this::footprint));
    }

    private HttpService answers(Function<ServiceRequestContext, ObjectNode> answer) {
        return (ctx, request) -> HttpResponse.of(
                readers.submit(() -> answer.apply(ctx), ctx::isCancelled).thenApply(AnswerJson::response));
    }

    private FeatureView view(ServiceRequestContext ctx) {
        return reader.view(String.valueOf(ctx.pathParam("name")));
    }

    private void sample() {
        for (FeatureView view : reader.views()) {
            try {
                ViewTrend.Sample sample = ViewTrend.sample(
                        System.nanoTime() / 1e9,
                        metrics.labelled("view", view.qualifiedName()),
                        readiness.look(view).ageMs());
                trend(view).add(sample);
            } catch (RuntimeException e) { // a task that throws is not run again
                LOG.debug("no sample of {}", view.qualifiedName(), e); // the page reports the same failure
            }
        }
    }

    private ViewTrend trend(FeatureView view) {
        return trends.computeIfAbsent(view.qualifiedName(), name -> new ViewTrend());
    }

    private ObjectNode list() {
        ObjectNode answer = AnswerJson.object();
        Readiness.Report report = readiness.look();
        answer.put("port", servingPort.getAsInt());
        answer.put("live", reader.readsLive());
        answer.put("trouble", report.job().orElse(null));
        ArrayNode views = answer.putArray("views");
        for (FeatureView view : reader.views()) {
            ObjectNode node = views.addObject();
            describe(node, view);
            write(node, view, Objects.requireNonNull(report.views().get(view.qualifiedName())), false);
        }
        return answer;
    }

    private ObjectNode state(FeatureView view) {
        ObjectNode answer = AnswerJson.object();
        describe(answer, view);
        write(answer, view, readiness.look(view), true);
        insight.skew(view).ifPresent(skew -> {
            ObjectNode node = answer.putObject("skew");
            node.put("at", skew.at().toString());
            ObjectNode causes = node.putObject("causes");
            skew.causes().forEach(causes::put);
        });
        return answer;
    }

    private static void describe(ObjectNode node, FeatureView view) {
        node.put("name", view.qualifiedName());
        node.put("description", view.description());
        node.put("kind", view.isTable() ? "table" : view.isKeyed() ? "keys" : "rings");
        ArrayNode entities = node.putArray("entities");
        for (Entity entity : view.entities()) {
            entities.addObject().put("name", entity.name()).put("type", JsonAnswers.typeOf(entity));
        }
        ArrayNode topics = node.putArray("topics");
        if (!view.isTable()) {
            view.source().topics().forEach(topics::add);
            node.put("dead_letter_topic", view.deadLetterTopic());
        }
        node.put("features", view.featureNames().size());
        node.put("ttl", view.online().ttl().text());
        DurationText history = view.online().history();
        node.put("history", history == null ? null : history.text());
    }

    private void write(ObjectNode node, FeatureView view, Readiness.ViewState state, boolean withDistributions) {
        node.put("ready", state.reason() == null);
        node.put("reason", state.reason());
        if (state.watermarkMs().isPresent()) {
            node.put(
                    "watermark",
                    Instant.ofEpochMilli(state.watermarkMs().getAsLong()).toString());
            node.put("watermark_age_ms", state.ageMs().orElseThrow());
        }
        trend(view).write(node);
        SeriesJson.write(node.putArray("series"), metrics, "view", view.qualifiedName(), withDistributions);
    }

    /** The part that does not change while the server runs. */
    private ObjectNode definition(FeatureView view) {
        ObjectNode answer = AnswerJson.object();
        answer.put("name", view.qualifiedName());
        answer.put("version", view.version());
        ArrayNode fingerprint = answer.putArray("fingerprint");
        if (!view.isTable()) {
            List.of(ViewFingerprint.of(view).split("\n")).forEach(fingerprint::add);
        }
        ArrayNode features = answer.putArray("features");
        for (int i = 0; i < view.featureNames().size(); i++) {
            features.addObject()
                    .put("name", view.featureNames().get(i))
                    .put("type", view.featureTypes().get(i));
        }
        answer.put("explained", insight.explain(view));
        return answer;
    }

    private ObjectNode footprint(ServiceRequestContext ctx) {
        FeatureView view = view(ctx);
        double events = rate(ctx, "events_per_second");
        double rows = rate(ctx, "rows_per_second");
        Optional<ViewInsight.Footprint> estimate =
                view.isTable() ? Optional.empty() : insight.footprint(view, events, rows);
        return AnswerJson.object()
                .put("name", view.qualifiedName())
                .put(
                        "state_bytes",
                        estimate.map(each -> Math.round(each.stateBytes())).orElse(null))
                .put(
                        "store_bytes",
                        estimate.map(each -> Math.round(each.storeBytes())).orElse(null));
    }

    private static double rate(ServiceRequestContext ctx, String parameter) {
        String text = ctx.queryParam(parameter);
        try {
            double rate = text == null ? 0 : Double.parseDouble(text);
            if (rate > 0 && rate < RATE_LIMIT) {
                return rate;
            }
        } catch (NumberFormatException e) {
            // answered as a number out of range is
        }
        throw RefusedRequestException.invalid("%s: must be a number above 0 and below 1e12, %s"
                .formatted(parameter, text == null ? "is absent" : "was " + text));
    }
}
