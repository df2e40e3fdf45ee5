package io.thalweg.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import io.thalweg.testing.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A receiver of OTLP over HTTP that keeps the spans it receives. */
final class OtlpReceiver implements AutoCloseable {
    final List<ResourceSpans> received = new CopyOnWriteArrayList<>();
    final List<Map<String, List<String>>> headers = new CopyOnWriteArrayList<>();
    /** No request is answered until this is zero. */
    volatile CountDownLatch held = new CountDownLatch(0);

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();

    OtlpReceiver() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/v1/traces", this::receive);
        server.start();
    }

    private void receive(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            held.await();
            headers.add(exchange.getRequestHeaders());
            received.addAll(ExportTraceServiceRequest.parseFrom(body).getResourceSpansList());
            exchange.sendResponseHeaders(200, -1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    URI endpoint() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    List<Span> spans() {
        return received.stream()
                .flatMap(resource -> resource.getScopeSpansList().stream())
                .map(ScopeSpans::getSpansList)
                .flatMap(List::stream)
                .toList();
    }

    /** Returns the spans of {@code count} requests once they have ended: an answer may arrive before its span has. */
    List<Span> requests(FeatureServer server, int count) {
        Await.until(count + " spans of requests", () -> {
            server.flushTraces();
            return requests().size() >= count;
        });
        assertThat(requests()).hasSize(count);
        return requests();
    }

    private List<Span> requests() {
        return spans().stream()
                .filter(span -> span.getKind() == Span.SpanKind.SPAN_KIND_SERVER)
                .sorted(Comparator.comparingLong(Span::getStartTimeUnixNano))
                .toList();
    }

    /** Waits until {@code count} spans of a name have ended. */
    void named(String name, int count, FeatureServer server) {
        Await.until(count + " spans " + name, () -> {
            server.flushTraces();
            return named(name).size() >= count;
        });
        assertThat(named(name)).hasSize(count);
    }

    private List<Span> named(String name) {
        return spans().stream().filter(span -> span.getName().equals(name)).toList();
    }

    /** Returns the direct children of a span, in the order in which they began. */
    List<Span> below(Span parent) {
        return spans().stream()
                .filter(span -> span.getParentSpanId().equals(parent.getSpanId()))
                .sorted(Comparator.comparingLong(Span::getStartTimeUnixNano))
                .toList();
    }

    static Map<String, Object> attributes(List<KeyValue> pairs) {
        Map<String, Object> attributes = new TreeMap<>();
        pairs.forEach(pair -> attributes.put(pair.getKey(), value(pair.getValue())));
        return attributes;
    }

    private static Object value(AnyValue value) {
        return value.hasIntValue() ? (Object) value.getIntValue() : value.getStringValue();
    }

    static String hex(ByteString id) {
        return HexFormat.of().formatHex(id.toByteArray());
    }

    @Override
    public void close() {
        held.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
