package io.thalweg.live;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;

/**
 * The route to the task that counts some shards of a view.
 *
 * @param job identifies this job among others that may listen at the address later
 * @param view qualified name
 * @param lastShard inclusive
 * @param tls whether both sides must authenticate, see {@link LiveTls}
 */
public record LiveRoute(String job, String view, int firstShard, int lastShard, String host, int port, boolean tls) {
    private static final JsonMapper JSON = new JsonMapper();

    /** Whether the route leads to a shard of a view. */
    boolean leadsTo(String view, int shard) {
        return this.view.equals(view) && firstShard <= shard && shard <= lastShard;
    }

    String address() {
        return host + ":" + port;
    }

    /** Returns the route as one line of JSON, which the job publishes. */
    public String toText() {
        return JSON.createObjectNode()
                .put("job", job)
                .put("view", view)
                .put("first", firstShard)
                .put("last", lastShard)
                .put("host", host)
                .put("port", port)
                .put("tls", tls)
                .toString();
    }

    /**
     * Parses the output of {@link #toText}.
     *
     * @throws IOException if the text is not a route
     */
    public static LiveRoute ofText(String text) throws IOException {
        JsonNode json = JSON.readTree(text);
        if (!json.path("host").isTextual() || !json.path("port").isInt()) {
            throw new IOException("a route must be JSON with job, view, first, last, host and port, was " + text);
        }
        return new LiveRoute(
                json.path("job").asText(),
                json.path("view").asText(),
                json.path("first").asInt(),
                json.path("last").asInt(),
                json.path("host").asText(),
                json.path("port").asInt(),
                json.path("tls").asBoolean());
    }
}
