package io.thalweg.server.console;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.thalweg.model.view.FeatureView;
import io.thalweg.server.console.DeadLetterTail.Judgement;
import io.thalweg.server.console.DeadLetterTail.Letter;
import io.thalweg.server.http.AnswerJson;
import io.thalweg.server.http.RefusedRequestException;
import io.thalweg.server.http.RefusedRequestException.Code;
import io.thalweg.server.read.FeatureReader;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The newest dead letters of a view, and how the view would judge one of them now, for the console. */
public final class ConsoleDeadLetters {
    static final int LIMIT_MAX = 200;
    /** The most characters of an event's text; keeps an answer below a megabyte. */
    static final int RAW_MAX = 4_096;

    private static final String LETTERS = "/v1/console/views/{name}/letters";
    private static final Pattern LIMIT = Pattern.compile("[1-9]\\d{0,2}");
    private static final Pattern PARTITION = Pattern.compile("\\d{1,9}");
    private static final Pattern OFFSET = Pattern.compile("\\d{1,18}");

    private final FeatureReader reader;
    private final Optional<DeadLetterTail> tail;

    /**
     * Creates the routes for the views of a reader.
     *
     * @param tail empty = dead letters are not shown
     */
    public ConsoleDeadLetters(FeatureReader reader, Optional<DeadLetterTail> tail) {
        this.reader = reader;
        this.tail = tail;
    }

    public void addTo(ServerBuilder server) {
        server.route().get(LETTERS).build(AnswerJson.reads(this::list));
        server.route().get(LETTERS + "/{partition}/{offset}/verdict").build(AnswerJson.reads(this::verdict));
    }

    private interface Asked<T> {
        T answer() throws IOException;
    }

    private static <T> T ask(Asked<T> asked) {
        try {
            return asked.answer();
        } catch (IOException e) {
            throw new RefusedRequestException(Code.UNAVAILABLE, "dead letters cannot be read: " + e.getMessage());
        }
    }

    private DeadLetterTail tail() {
        return tail.orElseThrow(() -> new RefusedRequestException(
                Code.NOT_FOUND, "this process does not show dead letters; see server.dead_letters in thalweg.yaml"));
    }

    private FeatureView view(ServiceRequestContext ctx) {
        return reader.view(String.valueOf(ctx.pathParam("name")));
    }

    private ObjectNode list(ServiceRequestContext ctx) {
        FeatureView view = view(ctx);
        DeadLetterTail letters = tail();
        String limit = ctx.queryParams().get("limit", String.valueOf(LIMIT_MAX));
        if (!LIMIT.matcher(limit).matches() || Integer.parseInt(limit) > LIMIT_MAX) {
            throw RefusedRequestException.invalid(
                    "limit: must be a whole number from 1 to " + LIMIT_MAX + ", was " + limit);
        }
        ObjectNode answer = AnswerJson.object();
        answer.put("view", view.qualifiedName());
        ArrayNode all = answer.putArray("letters");
        if (view.isTable()) {
            answer.putNull("topic");
            return answer;
        }
        answer.put("topic", view.deadLetterTopic());
        String reason = ctx.queryParam("reason");
        ask(() -> letters.latest(view, reason, Integer.parseInt(limit)))
                .forEach(letter -> write(all.addObject(), letter));
        return answer;
    }

    private static void write(ObjectNode node, Letter letter) {
        JsonNode json = letter.json();
        node.put("partition", letter.partition());
        node.put("offset", letter.offset());
        node.put("at", Instant.ofEpochMilli(letter.atMs()).toString());
        for (String field : List.of("reason", "detail", "time", "raw_encoding", "raw_bytes", "truncated")) {
            node.set(field, json.path(field).isMissingNode() ? null : json.path(field));
        }
        node.set("source", json.get("source"));
        node.set("source_partition", json.get("partition"));
        node.set("source_offset", json.get("offset"));
        String raw = json.path("raw").asText();
        node.put("raw", raw.substring(0, cut(raw)));
        node.put("cut", raw.length() > RAW_MAX);
    }

    /** Returns where to cut a text; never inside a surrogate pair. */
    private static int cut(String raw) {
        if (raw.length() <= RAW_MAX) {
            return raw.length();
        }
        return Character.isHighSurrogate(raw.charAt(RAW_MAX - 1)) ? RAW_MAX - 1 : RAW_MAX;
    }

    private ObjectNode verdict(ServiceRequestContext ctx) {
        FeatureView view = view(ctx);
        DeadLetterTail letters = tail();
        int partition = Integer.parseInt(number(ctx.pathParam("partition"), PARTITION));
        long offset = Long.parseLong(number(ctx.pathParam("offset"), OFFSET));
        Judgement judgement = (view.isTable()
                        ? Optional.<Judgement>empty()
                        : ask(() -> letters.judge(view, partition, offset)))
                .orElseThrow(() -> new RefusedRequestException(
                        Code.NOT_FOUND,
                        "view %s has no dead letter at partition %d, offset %d; Kafka may have deleted it"
                                .formatted(view.qualifiedName(), partition, offset)));
        return AnswerJson.object()
                .put("outcome", judgement.outcome())
                .put("reason", judgement.reason())
                .put("detail", judgement.detail());
    }

    private static String number(@Nullable String text, Pattern form) {
        if (text == null || !form.matcher(text).matches()) {
            throw RefusedRequestException.invalid(
                    "the address of a letter ends with its partition and its offset, both whole numbers");
        }
        return text;
    }
}
