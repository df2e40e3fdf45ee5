package io.thalweg.server.console;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.linecorp.armeria.server.ServerBuilder;
import io.thalweg.server.http.AnswerJson;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code GET /v1/console/pages}: the pages of the console that this port has answers for, in the order of their tabs; the clock of the
 * events, and names of values of entities.
 */
public final class ConsolePages {
    private static final String LETTERS = "letters";
    private static final List<String> ALL = List.of("map", "views", "keys", "jobs", LETTERS, "load");
    /** The pages of a port without views. */
    private static final List<String> JOBS = List.of("jobs");

    private ConsolePages() {}

    /** Adds the route of a feature server. */
    public static void addTo(ServerBuilder server, boolean showsLetters, ConsoleConfig config) {
        List<String> pages = new ArrayList<>(ALL);
        if (!showsLetters) {
            pages.remove(LETTERS);
        }
        add(server, pages, config);
    }

    /** Adds the route of a job that serves no features. */
    public static void addJobsTo(ServerBuilder server) {
        add(server, JOBS, ConsoleConfig.DEFAULT);
    }

    private static void add(ServerBuilder server, List<String> pages, ConsoleConfig config) {
        ObjectNode answer = AnswerJson.object();
        ArrayNode names = answer.putArray("pages");
        pages.forEach(names::add);
        answer.put("clock", config.clock());
        ObjectNode labels = answer.putObject("labels");
        config.labels().forEach((entity, values) -> {
            ObjectNode named = labels.putObject(entity);
            values.forEach(named::put);
        });
        server.route().get("/v1/console/pages").build((ctx, request) -> AnswerJson.response(answer));
    }
}
