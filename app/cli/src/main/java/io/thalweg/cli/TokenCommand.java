package io.thalweg.cli;

import io.thalweg.model.problem.Problems;
import io.thalweg.model.yaml.YamlFile;
import io.thalweg.runner.Console;
import io.thalweg.runner.FileReason;
import io.thalweg.runner.UserError;
import io.thalweg.server.access.Callers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code thalweg token}: creates a token for a caller of the server. */
@Command(
        name = "token",
        description =
                "Makes a token for a caller of the server. The token is printed once; the callers file has its hash only.",
        footer = {
            "",
            "Examples:",
            "  thalweg token checkout --callers callers.yaml",
            "  thalweg token alice --role operator --callers callers.yaml"
        })
final class TokenCommand implements Callable<Integer> {
    /** The prefix by which scanners for leaked secrets recognize a token. */
    private static final String PREFIX = "twg_";

    private static final int RANDOM_BYTES = 32;
    private static final String NAME = "[A-Za-z0-9][A-Za-z0-9._:/@-]{0,99}";

    private final Console console;

    @Parameters(paramLabel = "NAME", description = "The caller's name, as in the rules of load management.")
    private String name = "";

    @Option(
            names = "--role",
            paramLabel = "ROLE",
            defaultValue = "reader",
            description = "reader (features, views, metrics) or operator (the admin port, too). Default: reader.")
    private String role = "";

    @Option(
            names = "--callers",
            paramLabel = "FILE",
            description = "Add the caller to this file, made if need be. Default: print the entry.")
    private @Nullable Path file;

    TokenCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        if (!role.matches("reader|operator")) {
            throw UserError.usage("--role must be reader or operator, was '" + role + "'", "");
        }
        if (!name.matches(NAME)) {
            throw UserError.usage(
                    "a caller's name must be 1 to 100 letters, digits and . _ : / @ -, was '" + name + "'",
                    "such as checkout");
        }
        byte[] random = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(random);
        String token = PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(random);
        String entry = "  - {name: \"%s\", role: %s, token: \"%s\"}".formatted(name, role, Callers.hash(token));
        if (file == null) {
            console.err().println("add this to the file that server.auth.callers names:");
            console.err().println("callers:");
            console.err().println(entry);
        } else {
            add(entry, file);
        }
        console.out().println(token);
        return 0;
    }

    /** Replaces the file atomically, because a running server may read it at any moment. */
    private static void add(String entry, Path file) {
        String text = (Files.exists(file) ? textOf(file) : "callers:\n") + entry + "\n";
        Callers.parse(text, file.toString());
        try {
            Path folder = file.toAbsolutePath().getParent();
            Path whole = Files.createTempFile(folder, ".callers", ".yaml"); // readable by its owner only
            Files.writeString(whole, text);
            Files.move(whole, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw UserError.failed(file + " cannot be written: " + FileReason.of(e), "")
                    .causedBy(e);
        }
    }

    private static String textOf(Path file) {
        Problems problems = new Problems();
        String text = YamlFile.text(file, problems).orElse("");
        problems.throwIfAny();
        return text.isEmpty() || text.endsWith("\n") ? text : text + "\n";
    }
}
