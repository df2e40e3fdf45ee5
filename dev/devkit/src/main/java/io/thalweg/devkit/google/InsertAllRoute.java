package io.thalweg.devkit.google;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.ByteString;
import com.google.protobuf.DynamicMessage;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.grpc.Status;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST …/tables/T/insertAll}: rows of JSON. A wrong row stops the others of its request. Ids are remembered for a minute,
 * during which a row with the same id is dropped.
 *
 * <p><b>Threads.</b> Safe.
 */
final class InsertAllRoute implements HttpHandler {
    private static final int LARGEST_REQUEST = 10 * 1000 * 1000;
    private static final int MOST_ROWS = 50_000;
    private static final long REMEMBERED_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final String PREFIX = "/bigquery/v2/";
    private static final String SUFFIX = "/insertAll";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final BigQueryFaults faults;
    private final Function<String, @Nullable FakeTable> tables;
    /** The time when each id was seen, by table and id; the oldest first. Guarded by this. */
    private final Map<String, Long> seen = new LinkedHashMap<>();

    private final Map<FakeTable, JsonRowConverter> types = new HashMap<>();

    /**
     * Creates a route to tables.
     *
     * @param tables finds a table by its path
     */
    InsertAllRoute(BigQueryFaults faults, Function<String, @Nullable FakeTable> tables) {
        this.faults = faults;
        this.tables = tables;
    }

    private record Answer(int status, String body) {
        static Answer error(int status, String reason, String message) {
            ObjectNode error = JSON.createObjectNode().put("code", status).put("message", message);
            error.putArray("errors").addObject().put("reason", reason).put("message", message);
            return new Answer(
                    status, JSON.createObjectNode().set("error", error).toString());
        }

        static Answer of(Status fault) {
            String why = String.valueOf(fault.getDescription());
            return switch (fault.getCode()) {
                case RESOURCE_EXHAUSTED -> error(403, "rateLimitExceeded", why);
                case PERMISSION_DENIED -> error(403, "accessDenied", why);
                case INTERNAL -> error(500, "internalError", why);
                default -> error(503, "backendError", why);
            };
        }
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            Answer answer = answer(exchange.getRequestURI().getPath(), body);
            byte[] bytes = answer.body().getBytes(java.nio.charset.StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(answer.status(), bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    private Answer answer(String path, byte[] body) {
        try {
            TimeUnit.MILLISECONDS.sleep(faults.delayMs());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Status before = faults.nextBeforeAppend();
        if (before != null) {
            return Answer.of(before);
        }
        FakeTable table = path.endsWith(SUFFIX)
                ? tables.apply(path.substring(PREFIX.length(), path.length() - SUFFIX.length()))
                : null;
        if (table == null) {
            return Answer.error(404, "notFound", "Not found: " + path);
        }
        if (body.length > LARGEST_REQUEST) {
            return Answer.error(413, "requestTooLarge", "the request has " + body.length + " bytes");
        }
        Answer answer = insert(path, table, body);
        Status after = faults.nextAfterAppend();
        return after == null ? answer : Answer.of(after);
    }

    private Answer insert(String path, FakeTable table, byte[] body) {
        JsonNode rows;
        try {
            rows = JSON.readTree(body).path("rows");
        } catch (JsonProcessingException e) {
            return Answer.error(400, "parseError", e.getOriginalMessage());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        if (rows.size() == 0 || rows.size() > MOST_ROWS) {
            return Answer.error(400, "invalid", "rows must be 1 to %d, were %d".formatted(MOST_ROWS, rows.size()));
        }
        Map<Integer, String> wrong = new LinkedHashMap<>();
        List<DynamicMessage> messages = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            try {
                messages.add(checked(rows.get(i).path("json"), table));
            } catch (IllegalArgumentException e) {
                wrong.put(i, String.valueOf(e.getMessage()));
            }
        }
        if (!wrong.isEmpty()) {
            return stopped(rows.size(), wrong);
        }
        show(path, rows, messages, table);
        return new Answer(200, "{\"kind\":\"bigquery#tableDataInsertAllResponse\"}");
    }

    private DynamicMessage checked(JsonNode row, FakeTable table) {
        DynamicMessage message = types(table).message(row, table.schema().getFieldsList());
        String wrong = RowChecks.row(message, table.schema().getFieldsList(), faults::refuses);
        if (wrong != null) {
            throw new IllegalArgumentException(wrong);
        }
        return message;
    }

    private JsonRowConverter types(FakeTable table) {
        synchronized (types) {
            return types.computeIfAbsent(table, each -> new JsonRowConverter(each.schema()));
        }
    }

    private static Answer stopped(int rows, Map<Integer, String> wrong) {
        ObjectNode answer = JSON.createObjectNode().put("kind", "bigquery#tableDataInsertAllResponse");
        ArrayNode errors = answer.putArray("insertErrors");
        for (int i = 0; i < rows; i++) {
            ObjectNode row = errors.addObject().put("index", i);
            row.putArray("errors")
                    .addObject()
                    .put("reason", wrong.containsKey(i) ? "invalid" : "stopped")
                    .put("message", wrong.getOrDefault(i, ""));
        }
        return new Answer(200, answer.toString());
    }

    private void show(String path, JsonNode rows, List<DynamicMessage> messages, FakeTable table) {
        List<DynamicMessage> shown = new ArrayList<>();
        for (int i = 0; i < messages.size(); i++) {
            JsonNode id = rows.get(i).path("insertId");
            if (id.isMissingNode() || isNew(path + " " + id.asText())) {
                shown.add(messages.get(i));
            }
        }
        FakeTable.Counting counting = table.counting();
        if (counting == null) {
            long bytes =
                    shown.stream().mapToLong(DynamicMessage::getSerializedSize).sum();
            table.show(FakeStream.Batch.of(shown, bytes));
        } else {
            List<ByteString> encoded =
                    shown.stream().map(DynamicMessage::toByteString).toList();
            table.show(new RowDigest(types(table).type(), counting.timeColumn()).batch(encoded));
        }
    }

    private synchronized boolean isNew(String id) {
        long now = System.nanoTime();
        var oldest = seen.values().iterator();
        while (oldest.hasNext() && now - oldest.next() > REMEMBERED_NANOS) {
            oldest.remove();
        }
        return seen.putIfAbsent(id, now) == null;
    }
}
