package io.thalweg.live.inspect;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.List;

/** {@code {"jobs": […]}}: states as the admin port returns them, with keys in snake case. */
public final class JobStates {
    private static final JsonMapper JSON = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();
    private static final TypeReference<List<JobState>> STATES = new TypeReference<>() {};

    private JobStates() {}

    public static ObjectNode toJson(List<JobState> states) {
        ObjectNode json = JSON.createObjectNode();
        json.set("jobs", JSON.valueToTree(states));
        return json;
    }

    /**
     * Reads states.
     *
     * @throws IOException if they are not the output of {@link #toJson}
     */
    public static List<JobState> ofJson(JsonNode json) throws IOException {
        if (!json.path("jobs").isArray()) {
            throw new IOException("the answer has no list 'jobs'");
        }
        return JSON.readerFor(STATES).readValue(json.path("jobs"));
    }
}
