package io.thalweg.server;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.linecorp.armeria.common.Flags;
import com.linecorp.armeria.common.grpc.GrpcSerializationFormats;
import com.linecorp.armeria.common.util.ThreadFactories;
import com.linecorp.armeria.server.DecoratingHttpServiceFunction;
import com.linecorp.armeria.server.Server;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.grpc.GrpcService;
import com.linecorp.armeria.server.grpc.GrpcServiceBuilder;
import io.grpc.BindableService;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.kqueue.KQueueIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.Future;
import io.thalweg.live.LiveClient;
import io.thalweg.model.view.FeatureView;
import io.thalweg.server.access.Caller;
import io.thalweg.server.access.Gate;
import io.thalweg.server.admin.AdminApi;
import io.thalweg.server.admin.AliasApi;
import io.thalweg.server.admin.BackupApi;
import io.thalweg.server.console.Basemap;
import io.thalweg.server.console.ConsoleApi;
import io.thalweg.server.console.ConsoleDeadLetters;
import io.thalweg.server.console.ConsoleJobs;
import io.thalweg.server.console.ConsolePages;
import io.thalweg.server.console.ConsoleViews;
import io.thalweg.server.console.DeadLetterTail;
import io.thalweg.server.console.ViewInsight;
import io.thalweg.server.feast.FeastGrpc;
import io.thalweg.server.feast.FeastReader;
import io.thalweg.server.health.GrpcHealth;
import io.thalweg.server.health.HotCodeService;
import io.thalweg.server.health.JobProbe;
import io.thalweg.server.health.JobStatesService;
import io.thalweg.server.health.Readiness;
import io.thalweg.server.http.GrpcErrors;
import io.thalweg.server.http.RefusedRequestException;
import io.thalweg.server.http.ServerStartException;
import io.thalweg.server.read.FeatureReader;
import io.thalweg.server.read.LiveReader;
import io.thalweg.server.read.ReadMetrics;
import io.thalweg.server.read.Readers;
import io.thalweg.server.read.ServingLog;
import io.thalweg.server.region.RegionReader;
import io.thalweg.server.region.TileReader;
import io.thalweg.server.telemetry.Metrics;
import io.thalweg.server.telemetry.RequestTraces;
import io.thalweg.server.telemetry.Tracing;
import io.thalweg.server.versions.Aliases;
import io.thalweg.server.versions.ServedViews;
import io.thalweg.server.versions.VersionConflictException;
import io.thalweg.store.OnlineStore;
import java.net.BindException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A running feature server: HTTP/JSON and gRPC on one port, and optionally a second port for administration.
 * {@code docs/reference/http.md} and {@code grpc.md} specify the answers of the first, {@code admin.md} those of the second.
 *
 * <p><b>Threads.</b> Safe. Store, job and metrics belong to the caller, who closes the first two after {@link #stop}.
 */
public final class FeatureServer implements AutoCloseable {
    private static final long BODY_BYTES_MAX = 1 << 20;
    /** Keeps users of the console from taking the threads of models that read. */
    private static final int CONSOLE_THREADS = 2;

    private static final int CONSOLE_QUEUE = 32;
    private static final String REFLECTION_V1ALPHA = "/grpc.reflection.v1alpha.ServerReflection";

    private final Server server;
    private final List<Readers> readers;
    private final Protection protection;
    private final Aliases aliases;
    private final AtomicBoolean stopping;
    private final @Nullable AdminServer admin;
    private final @Nullable Tracing tracing;

    private FeatureServer(
            Server server,
            @Nullable AdminServer admin,
            List<Readers> readers,
            Protection protection,
            Aliases aliases,
            @Nullable Tracing tracing,
            AtomicBoolean stopping) {
        this.tracing = tracing;
        this.server = server;
        this.admin = admin;
        this.readers = readers;
        this.protection = protection;
        this.aliases = aliases;
        this.stopping = stopping;
    }

    /**
     * Starts a server and returns once it listens.
     *
     * @param views to serve
     * @param live the running job, for reads of windows that it has not finished; null where none is known
     * @param now the clock for age and ttl
     * @param job asked by {@code /readyz}, and on the admin port by {@code /v1/jobs} and the console
     * @param metrics exposed at {@code /metrics}; the server adds its own, and those of the process
     * @param insight what the console shows about views besides rows and metrics
     * @throws ServerStartException if it cannot listen, for example because the port is in use, or if a certificate or key cannot
     *     be used
     * @throws VersionConflictException if versions of a view cannot be served as {@link ServerConfig#switching} requires
     * @throws io.thalweg.store.StoreException if the store fails
     * @throws io.thalweg.model.problem.DefinitionException with all that is wrong with the callers file
     */
    public static FeatureServer start(
            ServerConfig config,
            List<FeatureView> views,
            OnlineStore store,
            @Nullable LiveClient live,
            Clock now,
            JobProbe job,
            Metrics metrics,
            ViewInsight insight) {
        // What is open already, the latest first; closed if the start fails.
        Deque<Runnable> opened = new ArrayDeque<>();
        try {
            return start(config, views, store, live, now, job, metrics, insight, opened);
        } catch (RuntimeException e) {
            opened.forEach(Runnable::run);
            throw e;
        }
    }

    private static FeatureServer start(
            ServerConfig config,
            List<FeatureView> views,
            OnlineStore store,
            @Nullable LiveClient live,
            Clock now,
            JobProbe job,
            Metrics metrics,
            ViewInsight insight,
            Deque<Runnable> opened) {
        Gate gate = new Gate(config.bind(), config.access(), metrics);
        Tracing tracing = config.tracing() == null ? null : Tracing.start(config.tracing(), metrics);
        opened.push(() -> close(tracing));
        Readers readers = new Readers("thalweg-read", config.readThreads(), config.queuedReads());
        opened.push(readers::close);
        Readers consoleReaders = new Readers("thalweg-console", CONSOLE_THREADS, CONSOLE_QUEUE);
        opened.push(consoleReaders::close);
        LiveReader running = live == null ? null : new LiveReader(live);
        ReadMetrics readMetrics = new ReadMetrics(views, metrics);
        ServedViews served = new ServedViews(views);
        FeatureReader reader = new FeatureReader(served, store, running, now, readMetrics, config.servingLog());
        // The console shows each version separately, and its reads are not those of models.
        FeatureReader exact = new FeatureReader(served.exact(), store, running, now, readMetrics, ServingLog.NONE);
        RegionReader regions = new RegionReader(store, now, readMetrics);
        TileReader tiles = new TileReader(store, now, readMetrics);
        metrics.process();
        register(views, store, now, metrics);
        Aliases aliases = Aliases.start(served, store, config.switching());
        opened.push(aliases::close);
        register(served, metrics);
        AtomicBoolean stopping = new AtomicBoolean();
        Protection protection = Protection.start(config, served, metrics);
        opened.push(protection::close);
        Readiness readiness = new Readiness(exact, job, config.readyMaxAge(), aliases::isAwaited);
        FeastReader feast = new FeastReader(reader);
        HttpApi http = new HttpApi(reader, regions, tiles, feast, readers, readiness, metrics);
        List<BindableService> grpc = List.of(
                new GrpcApi(reader, regions, readers),
                new FeastGrpc(feast, readers),
                new GrpcHealth(readiness, readers));
        Server server = build(config, gate, http, grpc, protection, tracing, stopping);
        HttpApi reads = new HttpApi(exact, regions, tiles, new FeastReader(exact), consoleReaders, readiness, metrics);
        ObjectNode basemap = Basemap.read(config.console().basemap());
        ConsoleApi console = new ConsoleApi(exact, store, tiles, consoleReaders, basemap, server::activeLocalPort);
        AdminServer admin = startAdmin(config, gate, protection, routes -> {
            reads.addReads(routes);
            console.addTo(routes);
            new ConsoleViews(exact, readiness, consoleReaders, metrics, insight, server::activeLocalPort).addTo(routes);
            Optional<DeadLetterTail> letters = insight.letters();
            new ConsoleDeadLetters(exact, letters).addTo(routes);
            new ConsoleJobs(job, metrics).addTo(routes);
            ConsolePages.addTo(routes, letters.isPresent(), config.console());
            new BackupApi(store).addTo(routes);
            new AliasApi(served, aliases).addTo(routes);
            routes.route().get(JobStatesService.PATH).build(new JobStatesService(job));
            routes.route().post(HotCodeService.PATH).build(new HotCodeService(job));
        });
        if (admin != null) {
            opened.push(() -> admin.stop().join());
        }
        listen(server, config.bind(), "server.port", config.port());
        return new FeatureServer(
                server, admin, List.of(readers, consoleReaders), protection, aliases, tracing, stopping);
    }

    /** Starts a server that knows no job and has no insight into its views. */
    public static FeatureServer start(
            ServerConfig config,
            List<FeatureView> views,
            OnlineStore store,
            @Nullable LiveClient live,
            Clock now,
            Metrics metrics) {
        return start(config, views, store, live, now, JobProbe.NONE, metrics, ViewInsight.NONE);
    }

    private static @Nullable AdminServer startAdmin(
            ServerConfig config, Gate gate, Protection protection, Consumer<ServerBuilder> console) {
        Integer port = config.adminPort();
        if (port == null) {
            return null;
        }
        AdminApi api = new AdminApi(
                protection.live().qalm(), protection.live().registry().orElseThrow(), protection.times());
        return AdminServer.start(gate, config.bind(), port, protection.consoleDecorator(), routes -> {
            api.addTo(routes);
            console.accept(routes);
        });
    }

    /** Starts to listen; {@code key} is the setting that the port comes from. */
    static void listen(Server server, String bind, String key, int port) {
        try {
            server.start().join();
        } catch (CompletionException e) {
            throw startFailure(bind, key, port, e);
        }
    }

    private static void register(List<FeatureView> views, OnlineStore store, Clock now, Metrics metrics) {
        for (FeatureView view : views) {
            String name = view.qualifiedName();
            metrics.gauge(
                    "thalweg_watermark_lag_seconds",
                    "Time since the view's watermark as readers see it.",
                    Metrics.labels("view", name),
                    () -> lagSeconds(store.watermark(name), now.millis()));
        }
        metrics.counter(
                "thalweg_store_expired_rows_total",
                "Rows not written because they had expired.",
                Metrics.labels(),
                store::expiredRows);
    }

    private static void register(ServedViews views, Metrics metrics) {
        views.all().stream()
                .map(FeatureView::name)
                .distinct()
                .forEach(name -> metrics.gauge(
                        "thalweg_served_version",
                        "Version of the view that reads of its name get.",
                        Metrics.labels("name", name),
                        () -> views.find(name)
                                .map(view -> (double) view.version())
                                .orElse(Double.NaN)));
    }

    private static double lagSeconds(OptionalLong watermarkMs, long nowMs) {
        return watermarkMs.isPresent() ? (nowMs - watermarkMs.getAsLong()) / 1e3 : Double.NaN;
    }

    private static Server build(
            ServerConfig config,
            Gate gate,
            HttpApi http,
            List<BindableService> grpc,
            Protection protection,
            @Nullable Tracing tracing,
            AtomicBoolean stopping) {
        ServerBuilder server = Server.builder()
                .requestTimeout(config.requestTimeout())
                .bossGroupFactory(FeatureServer::acceptor)
                .maxRequestLength(BODY_BYTES_MAX)
                // Without a quiet period Armeria would not wait for requests in progress.
                .gracefulShutdownTimeout(
                        Duration.ofMillis(Math.min(50, config.drain().toMillis())), config.drain());
        gate.listen(server, config.port());
        http.addTo(server);
        server.service(
                grpc().addServices(grpc)
                        .addService(ProtoReflectionServiceV1.newInstance())
                        .build(),
                LateReset::new);
        // The messages of v1alpha, which older clients use, are those of v1.
        server.service(grpc().addService(REFLECTION_V1ALPHA, ProtoReflectionServiceV1.newInstance())
                .build());
        DecoratingHttpServiceFunction protect = protection.decorator();
        DecoratingHttpServiceFunction admit = (delegate, ctx, request) -> {
            if (stopping.get()) {
                throw new RefusedRequestException(
                        RefusedRequestException.Code.UNAVAILABLE, "the server is stopping; try again later");
            }
            gate.require(Caller.Role.READER, ctx, request);
            return protect.serve(delegate, ctx, request);
        };
        server.decorator(
                tracing == null ? admit : new RequestTraces(tracing.tracer(), HttpApi::endpoint).around(admit));
        return server.build();
    }

    private static GrpcServiceBuilder grpc() {
        return GrpcService.builder()
                .exceptionHandler(new GrpcErrors())
                // JSON has its own routes; here it would need message objects, which are never created for answers.
                .supportedSerializationFormats(
                        GrpcSerializationFormats.PROTO,
                        GrpcSerializationFormats.PROTO_WEB,
                        GrpcSerializationFormats.PROTO_WEB_TEXT);
    }

    /**
     * Creates the event loop that accepts connections. It ends without a quiet period: all requests are drained by then, and
     * Netty would wait two more seconds.
     */
    static EventLoopGroup acceptor(String name) {
        IoHandlerFactory handlers = switch (Flags.transportType()) {
            case EPOLL -> EpollIoHandler.newFactory();
            case KQUEUE -> KQueueIoHandler.newFactory();
            case NIO -> NioIoHandler.newFactory();
            case IO_URING ->
                throw new IllegalStateException("transport type io_uring is not supported; use epoll or nio");
        };
        // Armeria shuts down the group of the thread itself, so a wrapper as in EventLoopGroups would have no effect.
        return new MultiThreadIoEventLoopGroup(1, ThreadFactories.newEventLoopThreadFactory(name, false), handlers) {
            @Override
            public Future<?> shutdownGracefully() {
                return shutdownGracefully(0, 1, TimeUnit.SECONDS);
            }
        };
    }

    private static ServerStartException startFailure(String bind, String key, int port, CompletionException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        if (cause instanceof BindException || String.valueOf(cause.getMessage()).contains("Address already in use")) {
            return new ServerStartException(
                    key + " " + port + " is in use on " + bind
                            + "; stop what listens there, or choose another port (0 = any free one)",
                    cause);
        }
        return new ServerStartException(
                "the server cannot listen on " + bind + ":" + port + ": " + cause.getMessage(), cause);
    }

    /** The port it listens on. */
    public int port() {
        return server.activeLocalPort();
    }

    /** The port for administration, if there is one. */
    public OptionalInt adminPort() {
        return admin == null ? OptionalInt.empty() : OptionalInt.of(admin.port());
    }

    /**
     * Refuses new requests, waits up to {@link ServerConfig#drain} for the requests in progress, and returns when everything has
     * stopped.
     */
    public void stop() {
        stopping.set(true); // Armeria continues to accept new requests while it waits for the others
        CompletableFuture<?> adminStops = admin == null ? CompletableFuture.completedFuture(null) : admin.stop();
        server.stop().join();
        adminStops.join();
        aliases.close();
        protection.close();
        readers.forEach(Readers::close);
        close(tracing);
    }

    /** Sends the spans that have ended; otherwise they are sent within two seconds. */
    void flushTraces() {
        if (tracing != null) {
            tracing.flush();
        }
    }

    private static void close(@Nullable Tracing tracing) {
        if (tracing != null) {
            tracing.close();
        }
    }

    @Override
    public void close() {
        stop();
    }
}
