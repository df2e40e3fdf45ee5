package io.thalweg.qalm.traces;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads from Jaeger's query service through the JSON API of its web page: {@code /api/services}, {@code /api/operations}, {@code
 * /api/traces}.
 *
 * <p><b>Errors.</b> {@link TraceException} if it is unreachable or the status is not 200.
 */
public final class JaegerClient {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final JsonMapper JSON = new JsonMapper();

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    private final String address;
    private final Clock now;

    /** Creates a client of Jaeger's page at {@code address}, such as {@code http://localhost:16686}; it may have a path prefix. */
    public JaegerClient(URI address, Clock now) {
        this.address = address.toString().replaceFirst("/+$", "");
        this.now = now;
    }

    /** All services in Jaeger. */
    public List<String> services() {
        return texts(get("/api/services"), "");
    }

    /** The operations of a service: the names of its server spans. */
    public List<String> operations(String service) {
        return texts(get("/api/operations?service=" + encoded(service) + "&spanKind=server"), "name");
    }

    /** Adds the newest traces in which a service served an operation, at most {@code limit} of them. */
    public void collect(String service, String operation, Duration lookback, int limit, Traces into) {
        Instant end = now.instant();
        String query = "/api/traces?service=%s&operation=%s&start=%d&end=%d&limit=%d"
                .formatted(encoded(service), encoded(operation), micros(end.minus(lookback)), micros(end), limit);
        into.add(address + query, new ByteArrayInputStream(get(query)));
    }

    private static long micros(Instant time) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, time);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /** Returns the elements of {@code data}, or the values of a key in them. */
    private List<String> texts(byte[] answer, String key) {
        List<String> texts = new ArrayList<>();
        for (JsonNode each : tree(answer).path("data")) {
            texts.add(key.isEmpty() ? each.asText() : each.path(key).asText());
        }
        return texts;
    }

    private JsonNode tree(byte[] answer) {
        try {
            return JSON.readTree(answer);
        } catch (IOException e) {
            throw new TraceException(address + ": the answer is not JSON; pass the address of Jaeger's page", e);
        }
    }

    private byte[] get(String query) {
        HttpResponse<byte[]> answer;
        try {
            HttpRequest request = HttpRequest.newBuilder(URI.create(address + query))
                    .timeout(TIMEOUT)
                    .build();
            answer = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
        } catch (IOException e) {
            throw new TraceException(
                    "cannot reach " + address + ": " + reason(e)
                            + "; check that Jaeger runs and that the address is its page's",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TraceException("interrupted", e);
        }
        if (answer.statusCode() != 200) {
            throw new TraceException(address + query + ": HTTP status " + answer.statusCode() + reason(answer.body()));
        }
        return answer.body();
    }

    /** Derives the reason from the exception's class, because Java's client often provides no message. */
    private static String reason(IOException e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnresolvedAddressException) {
                return "the host is unknown";
            }
        }
        if (e instanceof HttpTimeoutException) {
            return "no answer within " + TIMEOUT.toSeconds() + " s";
        }
        if (e instanceof ConnectException) {
            return "the connection is refused";
        }
        return e.getMessage() == null ? "the connection broke" : e.getMessage();
    }

    private static String reason(byte[] answer) {
        try {
            String message =
                    JSON.readTree(answer).path("errors").path(0).path("msg").asText("");
            return message.isEmpty() ? "" : ": " + message;
        } catch (IOException e) {
            return "";
        }
    }
}
