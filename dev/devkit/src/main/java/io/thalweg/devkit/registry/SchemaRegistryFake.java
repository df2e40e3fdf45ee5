package io.thalweg.devkit.registry;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A schema registry in this process, on a free port of the loopback interface, with the routes of Confluent's that Thalweg uses:
 *
 * <ul>
 *   <li>{@code GET /schemas/ids/ID}
 *   <li>{@code GET /subjects/SUBJECT/versions} and {@code …/versions/N|latest}
 *   <li>{@code POST /subjects/SUBJECT/versions}
 *   <li>{@code POST /subjects/SUBJECT}
 * </ul>
 *
 * <p>Schemas are not parsed: for Protocol Buffers the registered text is the serialized descriptor, which {@code
 * format=serialized} returns, too. Equal schemas have the same id. Any schema may follow any other, unless {@link #refuse}
 * was called.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class SchemaRegistryFake implements AutoCloseable {
    private static final JsonFactory JSON = new JsonFactory();
    private static final Pattern BY_ID = Pattern.compile("/schemas/ids/(\\d+)");
    private static final Pattern VERSIONS = Pattern.compile("/subjects/([^/]+)/versions");
    private static final Pattern SUBJECT = Pattern.compile("/subjects/([^/]+)");
    private static final Pattern VERSION = Pattern.compile("/subjects/([^/]+)/versions/(latest|\\d+)");

    private final HttpServer server;
    private final String url;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Schema> schemas = new ArrayList<>();
    private final Map<String, List<Integer>> subjects = new HashMap<>();
    private final AtomicInteger requests = new AtomicInteger();
    private volatile String authorization = "";
    private volatile boolean away;
    private volatile String refusal = "";
    private int awayAfter = Integer.MAX_VALUE;
    private volatile Duration delay = Duration.ZERO;

    private record Schema(String type, String text, List<Reference> references) {}

    /** A version of a subject that a schema refers to by a name. */
    public record Reference(String name, String subject, int version) {}

    /** An answer: a status and an object or a list. */
    private record Answer(int status, String json) {}

    private SchemaRegistryFake(HttpServer server) {
        this.server = server;
        url = "http://127.0.0.1:" + server.getAddress().getPort();
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    /** Starts an empty registry. */
    public static SchemaRegistryFake start() {
        try {
            return new SchemaRegistryFake(
                    HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the text of a registered schema. */
    public synchronized String text(int id) {
        return schemas.get(id - 1).text();
    }

    /** The address for {@code thalweg.yaml}. */
    public String url() {
        return url;
    }

    /** Requires this header in all later requests. */
    public void requireAuthorization(String header) {
        authorization = header;
    }

    /** Sets whether requests are answered with status 503. */
    public void setAway(boolean isAway) {
        away = isAway;
    }

    /** Refuses later schemas as incompatible with earlier versions, for this reason; empty = accept them. */
    public void refuse(String reason) {
        refusal = reason;
    }

    /** Answers this many more requests, then becomes unavailable. */
    public synchronized void goAwayAfter(int more) {
        awayAfter = requests.get() + more;
    }

    /**
     * Waits until this many requests have arrived.
     *
     * @throws IllegalStateException if they do not within this time
     */
    public synchronized void awaitRequests(int count, long withinMs) throws InterruptedException {
        long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(withinMs);
        while (requests.get() < count) {
            long leftMs = TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime());
            if (leftMs <= 0) {
                throw new IllegalStateException(
                        "%d requests have arrived within %d ms, of %d".formatted(requests.get(), withinMs, count));
            }
            wait(leftMs);
        }
    }

    private synchronized void count() {
        if (requests.incrementAndGet() > awayAfter) {
            away = true;
            awayAfter = Integer.MAX_VALUE;
        }
        notifyAll();
    }

    /** Delays all later answers. */
    public void setDelay(Duration answersAfter) {
        delay = answersAfter;
    }

    /** Returns the number of requests that have arrived. */
    public int requests() {
        return requests.get();
    }

    /**
     * Adds a version of a subject.
     *
     * @param type {@code AVRO}, {@code JSON} or {@code PROTOBUF}
     * @return the id of the schema
     */
    public synchronized int register(String subject, String type, String text, Reference... references) {
        Schema schema = new Schema(type, text, List.of(references));
        int at = schemas.indexOf(schema);
        if (at < 0) {
            schemas.add(schema);
            at = schemas.size() - 1;
        }
        List<Integer> versions = subjects.computeIfAbsent(subject, unused -> new ArrayList<>());
        int id = at + 1;
        if (!versions.contains(id)) {
            versions.add(id);
        }
        return id;
    }

    private void handle(HttpExchange exchange) throws IOException {
        count();
        try (exchange) {
            TimeUnit.NANOSECONDS.sleep(delay.toNanos());
            Answer answer = answer(exchange);
            byte[] body = answer.json().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/vnd.schemaregistry.v1+json");
            exchange.sendResponseHeaders(answer.status(), body.length);
            exchange.getResponseBody().write(body);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Answer answer(HttpExchange exchange) throws IOException {
        if (away) {
            return error(503, 50301, "away");
        }
        String given = exchange.getRequestHeaders().getFirst("Authorization");
        if (!authorization.isEmpty() && !authorization.equals(given)) {
            return error(401, 40101, "Unauthorized");
        }
        String path = exchange.getRequestURI().getRawPath();
        if (exchange.getRequestMethod().equals("POST")) {
            Matcher versions = VERSIONS.matcher(path);
            if (versions.matches()) {
                return posted(decoded(versions.group(1)), body(exchange));
            }
            Matcher subject = SUBJECT.matcher(path);
            return subject.matches()
                    ? found(decoded(subject.group(1)), body(exchange))
                    : error(404, 404, "no such route");
        }
        return got(path);
    }

    private synchronized Answer got(String path) {
        Matcher byId = BY_ID.matcher(path);
        if (byId.matches()) {
            long id = Long.parseLong(byId.group(1));
            return id >= 1 && id <= schemas.size()
                    ? schema(schemas.get((int) id - 1), null, 0, (int) id)
                    : error(404, 40403, "Schema " + id + " not found");
        }
        Matcher version = VERSION.matcher(path);
        if (version.matches()) {
            return ofVersion(decoded(version.group(1)), version.group(2));
        }
        Matcher versions = VERSIONS.matcher(path);
        return versions.matches() ? versions(decoded(versions.group(1))) : error(404, 404, "no such route");
    }

    private Answer ofVersion(String subject, String version) {
        List<Integer> ids = subjects.get(subject);
        if (ids == null) {
            return error(404, 40401, "Subject '" + subject + "' not found.");
        }
        int number = version.equals("latest") ? ids.size() : Integer.parseInt(version);
        if (number < 1 || number > ids.size()) {
            return error(404, 40402, "Version " + version + " not found.");
        }
        int id = ids.get(number - 1);
        return schema(schemas.get(id - 1), subject, number, id);
    }

    private Answer versions(String subject) {
        List<Integer> ids = subjects.get(subject);
        return ids == null
                ? error(404, 40401, "Subject '" + subject + "' not found.")
                : json(200, json -> {
                    json.writeStartArray();
                    for (int i = 1; i <= ids.size(); i++) {
                        json.writeNumber(i);
                    }
                    json.writeEndArray();
                });
    }

    private static Schema body(HttpExchange exchange) throws IOException {
        Map<String, String> members = new HashMap<>();
        try (JsonParser json = JSON.createParser(exchange.getRequestBody())) {
            while (json.nextToken() != null) {
                if (json.currentToken() == JsonToken.VALUE_STRING) {
                    members.put(json.currentName(), json.getText());
                }
            }
        }
        return new Schema(members.getOrDefault("schemaType", "AVRO"), members.getOrDefault("schema", ""), List.of());
    }

    private Answer posted(String subject, Schema schema) {
        if (!refusal.isEmpty()) {
            return error(409, 409, refusal);
        }
        int id = register(subject, schema.type(), schema.text());
        return json(200, json -> {
            json.writeStartObject();
            json.writeNumberField("id", id);
            json.writeEndObject();
        });
    }

    private synchronized Answer found(String subject, Schema schema) {
        List<Integer> ids = subjects.get(subject);
        if (ids == null) {
            return error(404, 40401, "Subject '" + subject + "' not found.");
        }
        int id = schemas.indexOf(schema) + 1;
        int version = ids.indexOf(id) + 1;
        return version == 0 ? error(404, 40403, "Schema not found") : schema(schema, subject, version, id);
    }

    /** As in the service, the type is omitted if it is Avro. */
    private static Answer schema(Schema schema, @Nullable String subject, int version, int id) {
        return json(200, json -> {
            json.writeStartObject();
            if (subject != null) {
                json.writeStringField("subject", subject);
                json.writeNumberField("version", version);
                json.writeNumberField("id", id);
            }
            if (!schema.type().equals("AVRO")) {
                json.writeStringField("schemaType", schema.type());
            }
            if (!schema.references().isEmpty()) {
                json.writeArrayFieldStart("references");
                for (Reference reference : schema.references()) {
                    json.writeStartObject();
                    json.writeStringField("name", reference.name());
                    json.writeStringField("subject", reference.subject());
                    json.writeNumberField("version", reference.version());
                    json.writeEndObject();
                }
                json.writeEndArray();
            }
            json.writeStringField("schema", schema.text());
            json.writeEndObject();
        });
    }

    private static Answer error(int status, int code, String message) {
        return json(status, json -> {
            json.writeStartObject();
            json.writeNumberField("error_code", code);
            json.writeStringField("message", message);
            json.writeEndObject();
        });
    }

    private interface Body {
        void write(JsonGenerator json) throws IOException;
    }

    private static Answer json(int status, Body body) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            body.write(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Answer(status, text.toString());
    }

    private static String decoded(String part) {
        return URLDecoder.decode(part, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
