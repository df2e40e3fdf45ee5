package io.thalweg.google.bigquery;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.thalweg.warehouse.RetryCause;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The service's answer to a request of {@code tabledata.insertAll}.
 *
 * @param refused by number in the request, the rows that will never be accepted, and why
 * @param cause of retrying the others, if they are retried
 * @param why if not all rows are written
 */
record InsertAllAnswer(Outcome outcome, Map<Integer, String> refused, RetryCause cause, String why) {
    private static final int OK = 200;
    private static final int FORBIDDEN = 403;
    private static final int TOO_MANY = 429;
    private static final int INTERNAL = 500;
    private static final Set<Integer> LATER = Set.of(408, TOO_MANY, INTERNAL, 502, 503, 504);
    private static final Set<String> QUOTA = Set.of("rateLimitExceeded", "quotaExceeded");

    /** Reasons that do not refuse a row for good: other rows of the request are wrong, or the service is overloaded. */
    private static final Set<String> PASSING =
            Set.of("stopped", "timeout", "backendError", "internalError", "rateLimitExceeded");

    /** The outcome of a request. */
    enum Outcome {
        /** All rows are written. */
        WRITTEN,
        /** No row is written, because of some of them. */
        ROWS,
        /** The service does not take the request now. */
        LATER,
        /** The service will never accept the request. */
        REFUSED
    }

    /** Parses an HTTP response. */
    static InsertAllAnswer of(int status, String body) {
        if (status != OK) {
            String why = "HTTP %d: %s".formatted(status, body.strip());
            boolean quota = status == TOO_MANY || (status == FORBIDDEN && QUOTA.contains(reason(body)));
            boolean later = quota || LATER.contains(status);
            return new InsertAllAnswer(later ? Outcome.LATER : Outcome.REFUSED, Map.of(), cause(quota, status), why);
        }
        JsonObject answer = JsonParser.parseString(body).getAsJsonObject();
        JsonArray errors = answer.getAsJsonArray("insertErrors");
        if (errors == null || errors.isEmpty()) {
            return new InsertAllAnswer(Outcome.WRITTEN, Map.of(), RetryCause.INTERNAL, "");
        }
        Map<Integer, String> refused = new LinkedHashMap<>();
        boolean quota = false;
        for (JsonElement row : errors) {
            for (JsonElement error : row.getAsJsonObject().getAsJsonArray("errors")) {
                String reason = text(error.getAsJsonObject(), "reason");
                quota |= QUOTA.contains(reason);
                if (!PASSING.contains(reason)) {
                    refused.putIfAbsent(row.getAsJsonObject().get("index").getAsInt(), why(error.getAsJsonObject()));
                }
            }
        }
        RetryCause cause = refused.isEmpty() ? cause(quota, INTERNAL) : RetryCause.REFUSED_ROWS;
        return new InsertAllAnswer(Outcome.ROWS, refused, cause, body.strip());
    }

    private static RetryCause cause(boolean quota, int status) {
        if (quota) {
            return RetryCause.QUOTA;
        }
        return status == INTERNAL ? RetryCause.INTERNAL : RetryCause.UNAVAILABLE;
    }

    private static String why(JsonObject error) {
        String location = text(error, "location");
        return (location.isEmpty() ? "" : location + ": ") + text(error, "message");
    }

    /** Returns the reason of the first error of an answer other than 200; empty if a proxy answers in another format. */
    private static String reason(String body) {
        try {
            JsonObject error = JsonParser.parseString(body).getAsJsonObject().getAsJsonObject("error");
            JsonArray errors = error == null ? null : error.getAsJsonArray("errors");
            return errors == null || errors.isEmpty() ? "" : text(errors.get(0).getAsJsonObject(), "reason");
        } catch (JsonParseException | IllegalStateException | ClassCastException e) {
            return "";
        }
    }

    private static String text(JsonObject object, String name) {
        JsonElement value = object.get(name);
        return value == null || value.isJsonNull() ? "" : value.getAsString();
    }
}
