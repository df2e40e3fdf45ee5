package io.thalweg.server.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.OptionalLong;
import java.util.function.Function;

/** The JSON bodies of answers: objects, with times as RFC 3339 UTC. */
public final class AnswerJson {
    private static final JsonMapper NODES = new JsonMapper();
    /** The JDK's conversion of doubles to text would take most of an answer's time. */
    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamWriteFeature.USE_FAST_DOUBLE_WRITER)
            .build();

    private AnswerJson() {}

    /** Writes the fields of an answer's object. */
    public interface Fields {
        void write(JsonGenerator out) throws IOException;
    }

    /** Returns an answer: an object and a line feed. */
    public static byte[] bytes(Fields fields) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(1024);
        try (JsonGenerator out = JSON.createGenerator(bytes)) {
            out.writeStartObject();
            fields.write(out);
            out.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        bytes.write('\n');
        return bytes.toByteArray();
    }

    /** Writes a time, given as epoch ms; null if it is absent. */
    public static void time(JsonGenerator out, String name, OptionalLong ms) throws IOException {
        out.writeStringField(
                name, ms.isPresent() ? Instant.ofEpochMilli(ms.getAsLong()).toString() : null);
    }

    /** Writes a number; null if it is absent. */
    public static void number(JsonGenerator out, String name, OptionalLong number) throws IOException {
        out.writeFieldName(name);
        if (number.isPresent()) {
            out.writeNumber(number.getAsLong());
        } else {
            out.writeNull();
        }
    }

    public static ObjectNode object() {
        return NODES.createObjectNode();
    }

    public static HttpResponse response(ObjectNode answer) {
        try {
            return HttpResponse.of(HttpStatus.OK, MediaType.JSON_UTF_8, HttpData.wrap(NODES.writeValueAsBytes(answer)));
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs a read off the event loop: the registry holds its lock while it writes files, and other answers may wait for a server. */
    public static HttpService reads(Function<ServiceRequestContext, ObjectNode> read) {
        return (ctx, request) -> HttpResponse.of(
                request.aggregate().thenApplyAsync(whole -> response(read.apply(ctx)), ctx.blockingTaskExecutor()));
    }
}
