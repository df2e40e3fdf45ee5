package io.thalweg.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.thalweg.runner.Console;
import io.thalweg.runner.ServerClient;
import io.thalweg.runner.TextTable;
import io.thalweg.runner.UserError;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code thalweg alias}: shows which version of a view an alias names, and switches it. */
@Command(
        name = "alias",
        description = "Shows which version the name of a view means, and switches it at once.",
        footer = {
            "",
            "Examples:",
            "  thalweg alias                     the names and versions that a running server has",
            "  thalweg alias demand demand_v2    reads of demand get demand_v2",
            "  thalweg alias demand demand       and version 1 again"
        })
final class AliasCommand implements Callable<Integer> {
    private final Console console;

    @Parameters(index = "0", arity = "0..1", paramLabel = "NAME", description = "The name of a view.")
    private @Nullable String name;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "VIEW",
            description = "The version that reads of it get: its name for version 1, NAME_v2 for version 2.")
    private @Nullable String view;

    @Option(names = "--force", description = "Switch also to a version that has not caught up.")
    private boolean force;

    @Option(
            names = "--admin",
            paramLabel = "URL",
            description = "The admin port of the server. Default: server.admin_port of thalweg.yaml.")
    private @Nullable String admin;

    @Mixin
    private final Config config = new Config();

    @Mixin
    private final ProofOptions proof = new ProofOptions();

    AliasCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        Map<String, String> env = console.env();
        if (name != null && view == null) {
            throw UserError.usage(
                    "name the version that reads of " + name + " are to get", "such as thalweg alias demand demand_v2");
        }
        ServerClient server = admin == null ? configured() : proof.admin(admin, env);
        if (name == null || view == null) {
            print(server.get("/v1/aliases"));
            return 0;
        }
        JsonNode answer = server.switchAlias(name, view, force, env.getOrDefault("USER", "thalweg alias"));
        console.out()
                .println("reads of %s get %s now, before %s"
                        .formatted(
                                answer.path("name").asText(),
                                answer.path("view").asText(),
                                answer.path("before").asText()));
        return 0;
    }

    private void print(JsonNode answer) {
        TextTable table = new TextTable(4, List.of("name", "view", "awaits", "versions"));
        for (JsonNode alias : answer.path("aliases")) {
            List<String> versions = new ArrayList<>();
            alias.path("versions").forEach(version -> versions.add(version.asText()));
            table.add(List.of(
                    alias.path("name").asText(),
                    alias.path("view").asText("none"),
                    alias.path("awaits").asText("-"),
                    String.join(", ", versions)));
        }
        table.print(console.out(), "");
    }

    private ServerClient configured() {
        return proof.admin(config.views(console).deploymentConfig().server(), console.env())
                .orElseThrow(() -> UserError.usage(
                        "no server can be found: thalweg.yaml has no server.admin_port",
                        "name the admin port of the server with --admin"));
    }
}
