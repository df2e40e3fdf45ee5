package io.thalweg.server;

import io.thalweg.live.LiveClient;
import io.thalweg.model.field.FieldPath;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.Progress;
import io.thalweg.model.source.Source;
import io.thalweg.model.view.Computation;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.EventInput;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.Measure;
import io.thalweg.model.view.Online;
import io.thalweg.model.view.ValueType;
import io.thalweg.model.view.Windows;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.qalm.Mode;
import io.thalweg.server.telemetry.Metrics;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.RocksDbOnlineStore;
import io.thalweg.testing.FakeClock;
import io.thalweg.testing.HttpOne;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A server on a free port over a RocksDB store with a few rows; its clock is a second after the last row. */
public final class ServerFixture implements AutoCloseable {
    /** 2026-01-01T18:01:00Z, the window end of the stored rows. */
    public static final long T = 1_767_290_460_000L;

    public static final long MINUTE = 60_000;
    public static final long CELL = 0x892a1008003ffffL;
    public static final String PRODUCT = "17a2b60c-29dd-5f76-95f3-b65da5cbbdbe";
    public static final FeatureView DEMAND = view("demand", null);
    public static final FeatureView SUPPLY = view("supply", "1h");

    public final FakeClock clock = new FakeClock(Instant.ofEpochMilli(T + 1_000));
    public final OnlineStore store;
    public final Metrics metrics = new Metrics();
    public final FeatureServer server;
    /** HTTP/1.1, where a refused body ends its connection only after the answer. */
    public final HttpClient http = HttpOne.client();

    /** Load management that refuses nobody: on a busy machine, it would refuse reads of tests that are not about it. */
    public static final ServerConfig.Qalm NO_SHEDDING = new ServerConfig.Qalm(Mode.SHADOW, null, Path.of("unused"));

    public ServerFixture(Path folder) {
        this(folder, List.of(DEMAND, SUPPLY), null);
    }

    public ServerFixture(Path folder, List<FeatureView> views) {
        this(folder, views, null);
    }

    public ServerFixture(Path folder, List<FeatureView> views, @Nullable LiveClient live) {
        this(folder, views, live, ServerConfig.loopback(0).withQalm(NO_SHEDDING));
    }

    public ServerFixture(Path folder, List<FeatureView> views, @Nullable LiveClient live, ServerConfig config) {
        store = RocksDbOnlineStore.open(folder, clock);
        server = FeatureServer.start(config, views, store, live, clock, metrics);
    }

    /** Demand: the row (7, 8, 9, 10) at T; supply: 1 a minute before, 2 at T. */
    public ServerFixture filled() {
        write(DEMAND, T, CELL, 7);
        write(SUPPLY, T - MINUTE, CELL, 1);
        write(SUPPLY, T, CELL, 2);
        progress(T);
        return this;
    }

    public void progress(long windowEndMs) {
        store.writeProgress(new Progress("demand", 0, 1, windowEndMs));
        store.writeProgress(new Progress("supply", 0, 1, windowEndMs));
    }

    public void write(FeatureView view, long windowEndMs, long cell, int first) {
        long[] sums = new long[view.featureNames().size()];
        Arrays.setAll(sums, i -> first + (long) i);
        store.write(view, List.of(block(view, windowEndMs, cell, sums)));
    }

    public void writeZeros(FeatureView view, long windowEndMs, long cell) {
        store.write(
                view,
                List.of(block(
                        view, windowEndMs, cell, new long[view.featureNames().size()])));
    }

    public static HexRowBlock block(FeatureView view, long windowEndMs, long cell, long[] sums) {
        return new HexRowBlock(
                BlockHead.ofFinal(view.qualifiedName(), 0, windowEndMs),
                0x852a1007fffffffL,
                List.of(PRODUCT),
                new long[] {cell},
                sums,
                null);
    }

    public URI uri(String path) {
        return URI.create("http://127.0.0.1:" + server.port() + path);
    }

    public HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return http.send(HttpRequest.newBuilder(uri(path)).build(), HttpResponse.BodyHandlers.ofString());
    }

    public HttpResponse<String> post(String path, String body) throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(uri(path))
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    public static FeatureView view(String name, @Nullable String history) {
        return view(name, history, List.of(0, 1), List.of("1m", "2m"));
    }

    public static FeatureView view(String name, @Nullable String history, List<Integer> rings, List<String> windows) {
        return new FeatureView(
                name,
                1,
                "Distinct riders",
                List.of(
                        new Entity.Cell("cell", FieldPath.parse("lat"), FieldPath.parse("lng"), null, 9),
                        new Entity.Field("product", FieldPath.parse("product_id"), ValueType.UUID)),
                new Computation.OfRings(
                        new EventInput(
                                new Source(
                                        List.of("events"),
                                        "default",
                                        new Source.Start(Source.Start.Kind.EARLIEST, null),
                                        Source.Format.JSON,
                                        new Source.EventTime(null, Source.TimeUnit.MS),
                                        DurationText.parse("10s"),
                                        DurationText.parse("30s"),
                                        DurationText.parse("1m")),
                                List.of(),
                                List.of(),
                                "events-dead",
                                false),
                        new Measure.Count(),
                        rings,
                        new Windows(windows.stream().map(DurationText::parse).toList(), DurationText.parse("1m"))),
                null,
                new Online(DurationText.parse("10m"), history == null ? null : DurationText.parse(history)));
    }

    @Override
    public void close() {
        // The server waits a second for its connections; a test does not need to.
        var unused = CompletableFuture.runAsync(server::stop);
        store.close();
    }
}
