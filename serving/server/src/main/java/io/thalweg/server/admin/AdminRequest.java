package io.thalweg.server.admin;

import com.fasterxml.jackson.databind.JsonNode;
import io.thalweg.model.problem.Suggestion;
import io.thalweg.qalm.Criticality;
import io.thalweg.qalm.Mode;
import io.thalweg.server.http.RequestJson;
import io.thalweg.server.http.RequestProblems;
import java.util.Locale;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The JSON body of a change. {@link #done} reports all problems together; until then, accessors return placeholders for invalid
 * values.
 */
final class AdminRequest {
    private static final int NAME_MAX = 200;

    private final JsonNode body;
    private final @Nullable String caller;
    private final RequestProblems problems = new RequestProblems();
    private final TreeSet<String> keys = new TreeSet<>();

    /** Parses a body. {@code caller} is the authenticated name of the sender; null = the field {@code author} is trusted. */
    AdminRequest(byte[] body, @Nullable String caller) {
        this.body = RequestJson.tree(body);
        this.caller = caller;
    }

    private @Nullable JsonNode get(String key) {
        keys.add(key);
        JsonNode value = body.get(key);
        return value == null || value.isNull() ? null : value;
    }

    void problem(String path, String message) {
        problems.add(path, message);
    }

    /** The version that the author has seen. */
    long version() {
        JsonNode version = get("version");
        if (version != null && version.isIntegralNumber() && version.canConvertToLong()) {
            return version.longValue();
        }
        problem("version", "must be the version that you have seen, such as 3; GET /v1/qalm/rules returns it");
        return -1;
    }

    /** The author for the audit trail. */
    String author() {
        String author = name("author");
        if (caller != null) {
            return caller;
        }
        if (author == null) {
            problem("author", "must say who changes it, such as \"alice\"");
            return "";
        }
        return author;
    }

    /** Returns a name; null if the key is absent. */
    @Nullable
    String name(String key) {
        JsonNode name = get(key);
        if (name == null) {
            return null;
        }
        if (name.isTextual() && !name.textValue().isBlank() && name.textValue().length() <= NAME_MAX) {
            return name.textValue();
        }
        problem(key, "must be a text of 1 to " + NAME_MAX + " characters, was " + name);
        return null;
    }

    /** Returns a switch; false if the key is absent. */
    boolean flag(String key) {
        JsonNode flag = get(key);
        if (flag != null && !flag.isBoolean()) {
            problem(key, "must be true or false, was " + flag);
        }
        return flag != null && flag.asBoolean();
    }

    /** The criticality to set; null = remove the present one. */
    @Nullable
    Criticality criticality() {
        if (!body.has("criticality")) {
            problem("criticality", "must be there: 0 to 3, or null to say nothing");
        }
        JsonNode said = get("criticality");
        Criticality level = said == null ? null : Criticality.parse(said.asText());
        if (said != null && level == null) {
            problem(
                    "criticality",
                    "must be 0 (infrastructure), 1 (core), 2 (feature), 3 (background) or null, was " + said);
        }
        return level;
    }

    Mode mode() {
        JsonNode said = get("mode");
        for (Mode mode : Mode.values()) {
            if (said != null && mode.name().toLowerCase(Locale.ROOT).equals(said.asText())) {
                return mode;
            }
        }
        problem("mode", "must be on, shadow or off, was " + said);
        return Mode.ON;
    }

    /** Returns a JSON document, which is also valid YAML. */
    String document() {
        JsonNode rules = get("rules");
        if (rules == null || !rules.isObject()) {
            problem("rules", "must be an object such as {\"mode\":\"on\",\"endpoints\":{}}");
            return "{}";
        }
        return rules.toString();
    }

    /** Reports all problems, if there are any. */
    void done() {
        body.fieldNames().forEachRemaining(key -> {
            if (!keys.contains(key)) {
                problem(key, "is no key of this change; " + Suggestion.hint(key, keys));
            }
        });
        problems.throwIfAny();
    }
}
