package io.thalweg.qalm.traces;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads traces in JSON: the format of Jaeger's query API and web page ({@code {"data": [trace, …]}}, or a trace), and OTLP
 * ({@code {"resourceSpans": […]}}). A file may contain several documents, as the files of OpenTelemetry's collector do.
 */
final class SpanReader {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String[] OTLP_KINDS = {"", "internal", "server", "client", "producer", "consumer"};

    private static final String REMEDY =
            "name a file that holds whole traces, as Jaeger's page or OpenTelemetry's collector writes them";

    private final String from;
    private final Consumer<Span> spans;

    /** Creates a reader; {@code from} is the name of the document in messages. */
    SpanReader(String from, Consumer<Span> spans) {
        this.from = from;
        this.spans = spans;
    }

    void read(InputStream in) {
        boolean hasDocument = false;
        try (MappingIterator<JsonNode> documents =
                JSON.readerFor(JsonNode.class).readValues(in)) {
            while (documents.hasNextValue()) {
                hasDocument = true;
                document(documents.nextValue());
            }
        } catch (JsonProcessingException e) {
            throw new TraceException(from + ": is not JSON" + place(e) + "; " + REMEDY, e);
        } catch (EOFException e) {
            throw new TraceException(from + ": the data end too early; " + REMEDY, e);
        } catch (IOException e) {
            throw new TraceException(from + ": cannot be read: " + e.getMessage() + "; " + REMEDY, e);
        }
        if (!hasDocument) {
            throw new TraceException(from + ": is empty; " + REMEDY);
        }
    }

    private static String place(JsonProcessingException e) {
        JsonLocation at = e.getLocation();
        return at == null ? "" : " at line " + at.getLineNr() + ", column " + at.getColumnNr();
    }

    private void document(JsonNode document) {
        if (document.isArray()) {
            document.forEach(this::document);
        } else if (document.path("resourceSpans").isArray()) {
            document.path("resourceSpans").forEach(this::otlp);
        } else if (document.path("spans").isArray()) {
            jaeger(document);
        } else if (document.has("data")) {
            document.path("data").forEach(this::document);
        } else {
            throw new TraceException(from + ": has no traces: must be Jaeger's {\"data\": [{\"spans\": …}]} or OTLP's"
                    + " {\"resourceSpans\": …}, was " + shown(document));
        }
    }

    private static String shown(JsonNode document) {
        String text = document.toString();
        return text.length() <= 80 ? text : text.substring(0, 80) + "…";
    }

    private void jaeger(JsonNode trace) {
        for (JsonNode span : trace.path("spans")) {
            JsonNode process = span.has("process")
                    ? span.path("process")
                    : trace.path("processes").path(text(span, "processID"));
            Map<String, String> tags = new HashMap<>();
            process.path("tags")
                    .forEach(tag -> tags.put(text(tag, "key"), tag.path("value").asText()));
            span.path("tags")
                    .forEach(tag -> tags.put(text(tag, "key"), tag.path("value").asText()));
            spans.accept(new Span(
                    text(span, "traceID"),
                    text(span, "spanID"),
                    jaegerParent(span),
                    text(process, "serviceName"),
                    text(span, "operationName"),
                    tags.getOrDefault("span.kind", ""),
                    tags));
        }
    }

    /** Returns the parent; a child-of reference takes precedence over a follows-from reference. */
    private static @Nullable String jaegerParent(JsonNode span) {
        String parent = null;
        for (JsonNode reference : span.path("references")) {
            boolean sameTrace = text(reference, "traceID").equals(text(span, "traceID"));
            if (sameTrace && (parent == null || text(reference, "refType").equals("CHILD_OF"))) {
                parent = text(reference, "spanID");
            }
        }
        return parent == null && span.hasNonNull("parentSpanID") ? text(span, "parentSpanID") : parent;
    }

    private void otlp(JsonNode resource) {
        Map<String, String> shared = new HashMap<>();
        attributes(resource.path("resource"), shared);
        String service = shared.getOrDefault("service.name", "");
        for (JsonNode scope : resource.path("scopeSpans")) {
            for (JsonNode span : scope.path("spans")) {
                Map<String, String> tags = new HashMap<>(shared);
                attributes(span, tags);
                String parent = text(span, "parentSpanId");
                spans.accept(new Span(
                        text(span, "traceId"),
                        text(span, "spanId"),
                        parent.isEmpty() ? null : parent,
                        service,
                        text(span, "name"),
                        otlpKind(span.path("kind")),
                        tags));
            }
        }
    }

    private static void attributes(JsonNode owner, Map<String, String> into) {
        for (JsonNode attribute : owner.path("attributes")) {
            // {"key": "http.route", "value": {"stringValue": "/cart"}}, {"intValue": "3"}, {"boolValue": true}
            for (JsonNode value : attribute.path("value")) {
                into.put(text(attribute, "key"), value.asText());
            }
        }
    }

    private static String otlpKind(JsonNode kind) {
        if (kind.isTextual()) {
            return kind.textValue().replace("SPAN_KIND_", "").toLowerCase(Locale.ROOT);
        }
        int number = kind.asInt(0);
        return number > 0 && number < OTLP_KINDS.length ? OTLP_KINDS[number] : "";
    }

    private static String text(JsonNode node, String key) {
        return node.path(key).asText("");
    }
}
