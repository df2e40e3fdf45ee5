package io.thalweg.server.console;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.thalweg.live.inspect.Diagnosis;
import io.thalweg.live.inspect.Finding;
import io.thalweg.live.inspect.JobSpan;
import io.thalweg.live.inspect.JobSpan.StageLoad;
import io.thalweg.live.inspect.JobSpan.SubtaskLoad;
import io.thalweg.live.inspect.JobState;
import io.thalweg.live.inspect.JobState.Filter;
import io.thalweg.live.inspect.JobState.Worker;
import io.thalweg.live.inspect.RecentJobs;
import io.thalweg.live.inspect.RecentJobs.Recent;
import io.thalweg.server.health.JobProbe;
import io.thalweg.server.http.AnswerJson;
import io.thalweg.server.http.RefusedRequestException;
import io.thalweg.server.http.RefusedRequestException.Code;
import io.thalweg.server.telemetry.Metrics;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * {@code GET /v1/console/jobs}: what the jobs did during the last seconds, judged as {@code thalweg tune} judges them. Figures
 * that are not known yet are null.
 */
public final class ConsoleJobs implements HttpService {
    /** Long enough for three of a cluster's metrics, short enough that a change is visible soon. */
    private static final Duration SPAN = Duration.ofSeconds(30);

    private final JobProbe job;
    private final Metrics metrics;
    private final RecentJobs recent;

    /**
     * Creates the service for the jobs of a probe.
     *
     * @param metrics with the series of the views and ingests of this process
     */
    public ConsoleJobs(JobProbe job, Metrics metrics) {
        this.job = job;
        this.metrics = metrics;
        this.recent = new RecentJobs(job::jobs, SPAN, System::nanoTime);
    }

    public void addTo(ServerBuilder server) {
        server.route().get("/v1/console/jobs").build(this);
    }

    /** Runs off the event loop, because a request to Flink may take seconds. */
    @Override
    public HttpResponse serve(ServiceRequestContext ctx, HttpRequest request) {
        return HttpResponse.of(request.aggregate().thenApplyAsync(whole -> answer(), ctx.blockingTaskExecutor()));
    }

    private HttpResponse answer() {
        ObjectNode answer = AnswerJson.object();
        answer.put("trouble", job.trouble().orElse(null));
        answer.put("span_seconds", SPAN.toSeconds());
        ArrayNode jobs = answer.putArray("jobs");
        look().forEach(each -> write(jobs.addObject(), each));
        progress(answer.putArray("views"), "view");
        progress(answer.putArray("ingests"), "ingest");
        return AnswerJson.response(answer);
    }

    /** Writes the series of each view or ingest. */
    private void progress(ArrayNode all, String label) {
        for (String name : metrics.labelValues(label)) {
            ArrayNode series = all.addObject().put("name", name).putArray("series");
            SeriesJson.write(series, metrics, label, name, false);
        }
    }

    private List<Recent> look() {
        try {
            return recent.look();
        } catch (IOException e) {
            throw new RefusedRequestException(Code.UNAVAILABLE, "the job does not answer: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RefusedRequestException(Code.UNAVAILABLE, "the server is stopping");
        }
    }

    private static void write(ObjectNode node, Recent job) {
        JobState now = job.now();
        node.put("id", now.id());
        node.put("name", now.name());
        node.put("restarts", now.restarts());
        judge(node, job.span());
        machine(node, now, job.sinceRestart());
        checkpoints(node, now);
        // Without a span the stages have names but no figures.
        JobSpan shown = job.sinceRestart().orElseGet(() -> new JobSpan(List.of(now, now)));
        ArrayNode stages = node.putArray("stages");
        shown.stages()
                .forEach(stage ->
                        write(stages.addObject(), stage, job.sinceRestart().map(JobSpan::seconds)));
    }

    private static void judge(ObjectNode node, Optional<JobSpan> span) {
        ArrayNode findings = node.putArray("findings");
        if (span.isEmpty()) {
            node.putNull("observed_seconds").putNull("healthy").putNull("slowest");
            return;
        }
        List<Finding> found = Diagnosis.of(span.get());
        node.put("observed_seconds", span.get().seconds());
        node.put("healthy", found.isEmpty());
        node.put("slowest", Diagnosis.slowest(span.get()).map(StageLoad::name).orElse(null));
        for (Finding finding : found) {
            findings.addObject()
                    .put("domain", finding.domain().text())
                    .put("area", finding.domain().area().name().toLowerCase(Locale.ROOT))
                    .put("evidence", finding.evidence())
                    .put("change", finding.change())
                    .put("effect", finding.effect());
        }
    }

    private static void machine(ObjectNode node, JobState now, Optional<JobSpan> span) {
        node.put(
                "processors",
                now.processes().stream().mapToInt(Worker::processors).sum());
        node.put("cores", span.map(JobSpan::cores).orElse(null));
        node.put("gc_share", span.map(JobSpan::gcShare).orElse(null));
        node.put(
                "heap_used",
                now.processes().stream().mapToLong(Worker::heapUsed).sum());
        node.put("heap_max", now.processes().stream().mapToLong(Worker::heapMax).sum());
    }

    private static void checkpoints(ObjectNode node, JobState now) {
        JobState.Checkpoints all = now.checkpoints();
        if (all.everyMs() == 0) {
            node.putNull("checkpoints");
            return;
        }
        ObjectNode checkpoints = node.putObject("checkpoints")
                .put("every_ms", all.everyMs())
                .put("completed", all.completed())
                .put("failed", all.failed());
        JobState.Checkpoint last = all.last();
        if (last != null) {
            checkpoints
                    .putObject("last")
                    .put("age_ms", now.atMs() - last.atMs())
                    .put("duration_ms", last.durationMs())
                    .put("bytes", last.bytes());
        }
        JobState.CheckpointFailure failure = all.lastFailure();
        if (failure != null) {
            checkpoints
                    .putObject("last_failure")
                    .put("age_ms", now.atMs() - failure.atMs())
                    .put("cause", failure.cause());
        }
    }

    private static void write(ObjectNode node, StageLoad stage, Optional<Double> seconds) {
        node.put("id", stage.id());
        node.put("name", stage.name());
        node.put("label", stage.label());
        ArrayNode inputs = node.putArray("inputs");
        stage.inputs().forEach(inputs::add);
        node.put("is_reader", stage.isReader());
        ArrayNode filters = node.putArray("filters");
        for (Filter filter : stage.work().filters()) {
            filters.addObject()
                    .put("definition", filter.definition())
                    .put("kept_per_second", seconds.map(s -> filter.kept() / s).orElse(null))
                    .put(
                            "dropped_per_second",
                            seconds.map(s -> filter.dropped() / s).orElse(null));
        }
        ArrayNode subtasks = node.putArray("subtasks");
        for (SubtaskLoad load : stage.subtasks()) {
            ObjectNode subtask = subtasks.addObject();
            subtask.put("busy", seconds.map(s -> load.busy()).orElse(null));
            subtask.put("back_pressured", seconds.map(s -> load.backPressured()).orElse(null));
            subtask.put("in_per_second", seconds.map(s -> load.recordsIn() / s).orElse(null));
            subtask.put(
                    "out_per_second", seconds.map(s -> load.recordsOut() / s).orElse(null));
        }
    }
}
