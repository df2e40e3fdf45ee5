package io.thalweg.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.thalweg.live.FlinkApi;
import io.thalweg.live.inspect.Diagnosis;
import io.thalweg.live.inspect.Finding;
import io.thalweg.live.inspect.FlinkInspection;
import io.thalweg.live.inspect.JobInspection;
import io.thalweg.live.inspect.JobSpan;
import io.thalweg.live.inspect.JobSpan.StageLoad;
import io.thalweg.live.inspect.JobState;
import io.thalweg.live.inspect.JobStates;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.runner.Console;
import io.thalweg.runner.ProgressLine;
import io.thalweg.runner.ServerClient;
import io.thalweg.runner.TextTable;
import io.thalweg.runner.Trials;
import io.thalweg.runner.UserError;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code thalweg tune}: observes running jobs for a while, and reports what limits them and what to change; or tries other settings on a
 * sample.
 */
@Command(
        name = "tune",
        description = "Observes running jobs, and reports what holds them up and what to change.",
        footer = {
            "",
            "Examples:",
            "  thalweg tune --for 30s",
            "  thalweg tune demand --admin http://127.0.0.1:8090",
            "  thalweg tune --config thalweg.yaml",
            "  thalweg tune demand --try",
            "  thalweg tune ride_events --try --vary parallelism=2,4 --vary gc=g1",
            "",
            "Exit codes: 0 every job keeps up, 1 something was found. With --try: 0 done, 1 the baseline failed."
        })
final class TuneCommand implements Callable<Integer> {
    private static final Duration LOOK = Duration.ofSeconds(2);
    private static final Duration SHORTEST = Duration.ofSeconds(5);
    /** How long to wait for complete metrics: a cluster gathers them every 10 s, and reports those of the last time. */
    private static final Duration METRICS = Duration.ofSeconds(60);

    private final Console console;

    @Parameters(
            arity = "0..1",
            paramLabel = "JOB",
            description = "Only jobs whose name contains this text, such as a view's name. Default: all."
                    + " With --try: a view or an ingest, as a file or a name found in views: of thalweg.yaml.")
    private String job = "";

    @Option(names = "--for", paramLabel = "DURATION", description = "How long to observe. Default: ${DEFAULT-VALUE}.")
    private String lasting = "1m";

    @Option(
            names = "--admin",
            paramLabel = "URL",
            description =
                    "The admin port of the process that runs the job. Default: server.admin_port of thalweg.yaml, unless flink.rest names a cluster; without both, that of the demo, "
                            + ServerOptions.DEFAULT_ADMIN + ".")
    private @Nullable String admin;

    @Mixin
    private final ProofOptions proof = new ProofOptions();

    @Mixin
    private final Config config = new Config();

    @Mixin
    private final TryOptions trial = new TryOptions();

    @Option(names = "--quiet", description = "No progress.")
    private boolean quiet;

    TuneCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (trial.tries()) {
            requireNotObserving();
            new Trials(config.views(console), config.file(), job, trial.options()).run(console, quiet);
            return 0;
        }
        trial.requireNone();
        Duration span = lasting();
        DeploymentConfig deployment = config.views(console).deploymentConfig();
        Optional<ServerClient> process = process(deployment);
        JobInspection inspection = process.<JobInspection>map(admin -> () -> JobStates.ofJson(admin.get("/v1/jobs")))
                .orElseGet(() -> cluster(deployment));
        Optional<HotMethods> methods = process.map(HotMethods::new);
        boolean healthy = true;
        for (List<JobState> states : observe(inspection, span)) {
            JobSpan observed = new JobSpan(states);
            if (observed.restarts() == 0 && !observed.isMeasured()) {
                throw UserError.failed(
                        "Flink reported no metrics of " + observed.name() + " within " + lasting,
                        "observe for longer, such as --for 1m; a cluster gathers them every metrics.fetcher.update-interval");
            }
            healthy &= report(observed, methods);
        }
        return healthy ? 0 : UserError.FAILED;
    }

    private void requireNotObserving() {
        if (admin != null) {
            throw UserError.usage(
                    "--admin does not go with --try, which runs the job by itself", "leave one of them out");
        }
    }

    private Duration lasting() {
        try {
            Duration span = DurationText.parse(lasting).duration();
            if (span.compareTo(SHORTEST) >= 0) {
                return span;
            }
        } catch (IllegalArgumentException e) {
            throw UserError.usage("--for: " + e.getMessage(), "such as --for 1m");
        }
        throw UserError.usage("--for must be at least 5s, was " + lasting, "such as --for 1m");
    }

    /** The process that runs the jobs; empty if a cluster does. */
    private Optional<ServerClient> process(DeploymentConfig deployment) {
        if (admin != null) {
            return Optional.of(proof.admin(admin, console.env()));
        }
        return deployment.flink() != null
                ? Optional.empty()
                : proof.admin(deployment.server(), console.env())
                        .or(() -> Optional.of(proof.admin(ServerOptions.DEFAULT_ADMIN, console.env())));
    }

    private static JobInspection cluster(DeploymentConfig deployment) {
        DeploymentConfig.Flink cluster = Objects.requireNonNull(deployment.flink(), "otherwise there is a process");
        return new FlinkInspection(new FlinkApi(cluster.rest()), InstantSource.system());
    }

    /** Polls the jobs, and returns the states of those that ran for the whole time. */
    private Collection<List<JobState>> observe(JobInspection inspection, Duration span) throws InterruptedException {
        Map<String, List<JobState>> jobs = new LinkedHashMap<>();
        firstLook(inspection).forEach(state -> jobs.put(state.id(), new ArrayList<>(List.of(state))));
        long begun = System.nanoTime();
        try (ProgressLine progress = console.progress(quiet)) {
            for (long left = span.toNanos(); left > 0; left = span.toNanos() - (System.nanoTime() - begun)) {
                long seconds = TimeUnit.NANOSECONDS.toSeconds(left);
                progress.show(() -> "observing %d %s, %d s to go"
                        .formatted(jobs.size(), jobs.size() == 1 ? "job" : "jobs", seconds));
                TimeUnit.NANOSECONDS.sleep(Math.min(left, LOOK.toNanos()));
                List<JobState> now = look(inspection);
                jobs.keySet()
                        .removeIf(
                                id -> now.stream().noneMatch(state -> state.id().equals(id)));
                now.forEach(state -> jobs.computeIfPresent(state.id(), (id, states) -> {
                    states.add(state);
                    return states;
                }));
            }
        }
        if (jobs.isEmpty()) {
            throw UserError.failed("the job ended while it was observed", "its own output and log say why");
        }
        return jobs.values();
    }

    /**
     * Returns the first states for which Flink has all metrics. Flink gathers metrics on request, but answers with those that it
     * already has, so the first answer may be as old as the request before it.
     */
    private List<JobState> firstLook(JobInspection inspection) throws InterruptedException {
        long deadline = System.nanoTime() + METRICS.toNanos();
        if (!look(inspection).isEmpty()) {
            TimeUnit.NANOSECONDS.sleep(LOOK.toNanos());
        }
        List<JobState> states = look(inspection);
        while (!states.isEmpty() && !states.stream().allMatch(JobState::isComplete)) {
            if (System.nanoTime() - deadline > 0) {
                throw UserError.failed(
                        "Flink reports no metrics of some tasks after " + METRICS.toSeconds() + " s",
                        "tasks that are not running have none; see the job's page in Flink");
            }
            TimeUnit.NANOSECONDS.sleep(LOOK.toNanos());
            states = look(inspection);
        }
        if (states.isEmpty()) {
            throw UserError.failed(
                    job.isEmpty() ? "no job is running" : "no job is running whose name contains '" + job + "'",
                    "start one with thalweg demo or thalweg run VIEW");
        }
        return states;
    }

    private List<JobState> look(JobInspection inspection) throws InterruptedException {
        try {
            return inspection.jobs().stream()
                    .filter(state -> state.name().contains(job))
                    .toList();
        } catch (IOException e) {
            throw UserError.failed("the job cannot be observed: " + e.getMessage(), "")
                    .causedBy(e);
        }
    }

    /** Prints the findings about a job; returns whether there are none. */
    private boolean report(JobSpan span, Optional<HotMethods> methods) {
        List<Finding> findings = Diagnosis.of(span);
        console.out()
                .printf(
                        Locale.ROOT,
                        "%s: %s, observed for %.0f s, %.1f of %d processors in use%n",
                        span.name(),
                        findings.isEmpty() ? "healthy" : "something holds it up",
                        span.seconds(),
                        span.cores(),
                        span.processors());
        table(span).print(console.out(), "  ");
        for (Finding finding : findings) {
            console.out()
                    .printf(
                            "%n  %s (%s)%n    evidence  %s%n%s    change    %s%n    effect    %s%n",
                            finding.domain().text(),
                            finding.domain().area().name().toLowerCase(Locale.ROOT),
                            finding.evidence(),
                            methods.flatMap(hot -> hot.text(finding.domain()))
                                    .map("    code      %s%n"::formatted)
                                    .orElse(""),
                            finding.change(),
                            finding.effect());
        }
        console.out().flush();
        return findings.isEmpty();
    }

    /** The methods of a process that compute or allocate the most, recorded once, when the first finding needs them. */
    private static final class HotMethods {
        private static final int SHOWN = 3;
        private static final double SMALLEST = 0.02;

        private final ServerClient process;
        private @Nullable JsonNode recorded;
        private @Nullable String failure;

        HotMethods(ServerClient process) {
            this.process = process;
        }

        /** Returns the hot methods that explain a finding; empty for findings of other domains. */
        Optional<String> text(Finding.Domain domain) {
            return switch (domain) {
                case GARBAGE_COLLECTION -> Optional.of(text("allocates", "of the allocated bytes"));
                case PARALLELISM, ALGORITHM -> Optional.of(text("computes", "of the computing"));
                default -> Optional.empty();
            };
        }

        private String text(String key, String of) {
            if (failure != null) {
                return failure;
            }
            try {
                if (recorded == null) {
                    recorded = process.profile();
                }
                List<String> methods = new ArrayList<>();
                for (JsonNode site : recorded.path(key)) {
                    double share = site.path("share").asDouble();
                    if (methods.size() < SHOWN && share >= SMALLEST) {
                        methods.add(percent(share) + (methods.isEmpty() ? " " + of : "") + " in "
                                + site.path("method").asText());
                    }
                }
                return methods.isEmpty() ? "nothing was sampled" : String.join(", ", methods);
            } catch (UserError e) {
                failure = "not recorded: " + e.getMessage();
                return failure;
            }
        }
    }

    private static TextTable table(JobSpan span) {
        TextTable table = new TextTable(1, List.of("stage", "subtasks", "busiest", "mean busy", "held up"));
        for (StageLoad stage : span.stages()) {
            table.add(List.of(
                    stage.label(),
                    String.valueOf(stage.subtasks().size()),
                    percent(stage.busiest()),
                    percent(stage.busyThreads() / Math.max(1, stage.subtasks().size())),
                    percent(stage.backPressured())));
        }
        return table;
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.0f %%", 100 * share);
    }
}
