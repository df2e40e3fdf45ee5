package io.thalweg.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.thalweg.testing.Checkout;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.HttpOne;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** Iceberg's own REST catalog in a process of its own, behind a proxy that drops requests and answers on demand. */
final class RestCatalog implements AutoCloseable {
    private static final Path MODULE = Checkout.file("storage/tables/catalog");
    private static final ObjectMapper JSON = new ObjectMapper();
    /** The headers that the JDK's client sets itself. */
    private static final Set<String> OF_THE_CONNECTION =
            Set.of("connection", "content-length", "expect", "host", "upgrade", "http2-settings", "transfer-encoding");

    private final Subprocess server;
    private final URI target;
    private final HttpServer proxy;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpClient client = HttpOne.client();
    private final Queue<Fault> faults = new ConcurrentLinkedQueue<>();
    private final Queue<HttpRequest> late = new ConcurrentLinkedQueue<>();
    private final AtomicInteger commits = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private final Set<String> tokens = new ConcurrentSkipListSet<>();
    private volatile boolean away;

    /** A fault of a commit. */
    enum Fault {
        /** The commit is applied, and the connection is cut before the answer. */
        ANSWER_LOST,
        /** The connection is cut, and the commit is not applied. */
        REQUEST_LOST,
        /** The connection is cut, and the commit arrives after the next one. */
        REQUEST_LATE
    }

    private RestCatalog(Subprocess server, int serverPort) throws IOException {
        this.server = server;
        target = URI.create("http://127.0.0.1:" + serverPort);
        proxy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        proxy.setExecutor(threads);
        proxy.createContext("/", this::handle);
        proxy.start();
    }

    /** Starts with an empty catalog, whose warehouse is the folder. */
    static RestCatalog start(Path folder) throws IOException {
        int port = FreePorts.next();
        Subprocess server = Subprocess.start(
                folder,
                Map.of(),
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        Launched.SHORT_LIVED,
                        "-cp",
                        MODULE.resolve("target/lib") + "/*",
                        MODULE.resolve("src/RestCatalogServer.java").toString(),
                        String.valueOf(port),
                        folder.toString()));
        try {
            server.awaitLine("listening", Duration.ofMinutes(2));
            return new RestCatalog(server, port);
        } catch (IOException | RuntimeException | Error e) {
            server.close();
            throw e;
        }
    }

    /** Where clients reach it. */
    URI uri() {
        return URI.create("http://127.0.0.1:" + proxy.getAddress().getPort());
    }

    /** Sets the faults of the next commits, one after another; later ones succeed. */
    void next(Fault... commits) {
        faults.addAll(List.of(commits));
    }

    boolean hasFaultsLeft() {
        return !faults.isEmpty() || !late.isEmpty();
    }

    /** Starts or stops cutting all connections. */
    void setAway(boolean now) {
        away = now;
    }

    /** Requests that were cut while the catalog was unavailable. */
    int refused() {
        return refused.get();
    }

    /** Commits that arrived, including those that were lost. */
    int commits() {
        return commits.get();
    }

    /** The authorization headers that clients sent. */
    Set<String> authorizations() {
        return tokens;
    }

    /** The newest metadata of a table, by the catalog itself; empty if there is no such table. */
    String metadata(String namespace, String table) throws IOException {
        HttpResponse<byte[]> answer =
                send(HttpRequest.newBuilder(target.resolve("/v1/namespaces/" + namespace + "/tables/" + table))
                        .build());
        JsonNode json = JSON.readTree(answer.body());
        return answer.statusCode() == 200 ? json.get("metadata-location").asText() : "";
    }

    private HttpResponse<byte[]> send(HttpRequest request) throws IOException {
        try {
            return client.send(request, HttpResponse.BodyHandlers.ofByteArray());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    private void handle(HttpExchange exchange) {
        try (exchange) {
            HttpRequest request = copy(exchange);
            if (away) {
                refused.incrementAndGet();
                return; // closing without an answer cuts the connection
            }
            if (!isCommit(exchange)) {
                answer(exchange, send(request));
                return;
            }
            commits.incrementAndGet();
            Fault fault = faults.poll();
            if (fault == Fault.REQUEST_LATE) {
                late.add(request);
            } else if (fault == Fault.ANSWER_LOST) {
                send(request);
            } else if (fault == null) {
                answer(exchange, send(request));
                for (HttpRequest old = late.poll(); old != null; old = late.poll()) {
                    send(old);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isCommit(HttpExchange exchange) {
        return exchange.getRequestMethod().equals("POST")
                && exchange.getRequestURI().getPath().matches(".*/tables/[^/]+");
    }

    private HttpRequest copy(HttpExchange exchange) throws IOException {
        HttpRequest.Builder request = HttpRequest.newBuilder(target.resolve(exchange.getRequestURI()))
                .method(
                        exchange.getRequestMethod(),
                        HttpRequest.BodyPublishers.ofByteArray(
                                exchange.getRequestBody().readAllBytes()));
        exchange.getRequestHeaders().forEach((name, values) -> {
            if (!OF_THE_CONNECTION.contains(name.toLowerCase(Locale.ROOT))) {
                values.forEach(value -> request.header(name, value));
            }
        });
        tokens.addAll(new ArrayList<>(exchange.getRequestHeaders().getOrDefault("Authorization", List.of())));
        return request.build();
    }

    private static void answer(HttpExchange exchange, HttpResponse<byte[]> from) throws IOException {
        from.headers().map().forEach((name, values) -> {
            if (!OF_THE_CONNECTION.contains(name.toLowerCase(Locale.ROOT))) {
                exchange.getResponseHeaders().put(name, values);
            }
        });
        byte[] body = from.body();
        exchange.sendResponseHeaders(from.statusCode(), body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
    }

    @Override
    public void close() {
        proxy.stop(0);
        threads.shutdownNow();
        server.close();
    }
}
