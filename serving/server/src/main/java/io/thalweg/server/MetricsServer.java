package io.thalweg.server;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.server.Server;
import com.linecorp.armeria.server.ServerBuilder;
import io.thalweg.model.deployment.Access;
import io.thalweg.server.access.Caller;
import io.thalweg.server.access.Gate;
import io.thalweg.server.access.LocalRequests;
import io.thalweg.server.console.ConsoleFiles;
import io.thalweg.server.console.ConsoleJobs;
import io.thalweg.server.console.ConsolePages;
import io.thalweg.server.health.HotCodeService;
import io.thalweg.server.health.JobProbe;
import io.thalweg.server.health.JobStatesService;
import io.thalweg.server.health.Readiness;
import io.thalweg.server.http.HttpErrors;
import io.thalweg.server.http.ServerStartException;
import io.thalweg.server.telemetry.Metrics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The port of a job that serves no features. It serves {@code /metrics}, {@code /livez}, {@code /readyz} and the console's page
 * of jobs to the callers of the feature port, and recordings of the process to operators.
 *
 * <p><b>Threads.</b> Safe. Job and metrics belong to the caller.
 */
public final class MetricsServer implements AutoCloseable {
    private static final MediaType PROMETHEUS = MediaType.parse(Metrics.CONTENT_TYPE);

    private final Server server;

    private MetricsServer(Server server) {
        this.server = server;
    }

    /**
     * Starts to listen.
     *
     * @param bind a loopback address or name, unless {@code access} protects the port
     * @param port 0 = any free one
     * @param access who may use it
     * @param job asked by {@code /readyz}, {@code /v1/jobs} and the console
     * @param metrics exposed at {@code /metrics}, with those of the process
     * @throws ServerStartException if the port cannot be listened on, or a certificate or key cannot be used
     * @throws io.thalweg.model.problem.DefinitionException with all that is wrong with the callers file
     */
    public static MetricsServer start(String bind, int port, Access access, JobProbe job, Metrics metrics) {
        Gate gate = new Gate(bind, access, metrics);
        metrics.process();
        ServerBuilder server = Server.builder()
                .bossGroupFactory(FeatureServer::acceptor)
                .gracefulShutdownTimeout(Duration.ofMillis(10), Duration.ofSeconds(1))
                .errorHandler(new HttpErrors());
        gate.listen(server, port);
        server.route()
                .get("/livez")
                .build((ctx, request) -> HttpResponse.of(HttpStatus.OK, MediaType.JSON_UTF_8, HttpApi.ALIVE));
        for (String path : List.of("/readyz", "/healthz")) {
            server.route().get(path).build((ctx, request) -> readiness(job));
        }
        server.route()
                .get("/metrics")
                .build((ctx, request) ->
                        HttpResponse.of(CompletableFuture.supplyAsync(metrics::expose, ctx.blockingTaskExecutor())
                                .thenApply(text -> HttpResponse.of(HttpStatus.OK, PROMETHEUS, HttpData.wrap(text)))));
        server.route().get(JobStatesService.PATH).build(new JobStatesService(job));
        server.route().post(HotCodeService.PATH).build(new HotCodeService(job));
        new ConsoleJobs(job, metrics).addTo(server);
        ConsolePages.addJobsTo(server);
        ConsoleFiles.addTo(server);
        server.decorator((delegate, ctx, request) -> {
            // A recording slows the job down.
            boolean reads = request.method() == HttpMethod.GET || request.method() == HttpMethod.HEAD;
            ConsoleFiles.require(gate, reads ? Caller.Role.READER : Caller.Role.OPERATOR, ctx, request);
            LocalRequests.requireJson(request);
            return delegate.serve(ctx, request);
        });
        AdminServer.compress(server);
        Server listening = server.build();
        FeatureServer.listen(listening, bind, "server.port", port);
        return new MetricsServer(listening);
    }

    private static HttpResponse readiness(JobProbe job) {
        Readiness.Report report = new Readiness.Report(job.trouble(), Map.of());
        return HttpResponse.of(
                report.isReady() ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE,
                MediaType.JSON_UTF_8,
                HttpData.wrap(report.json()));
    }

    /** The port it listens on. */
    public int port() {
        return server.activeLocalPort();
    }

    /** Stops listening. */
    @Override
    public void close() {
        server.stop().join();
    }
}
