package io.thalweg.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code thalweg init}: writes a first set of files. */
@Command(
        name = "init",
        description = "Writes a thalweg.yaml, a first view and its test; never overwrites a file.",
        footer = {"", "Example:", "  thalweg init market"})
final class InitCommand implements Callable<Integer> {
    private final Console console;

    @Parameters(arity = "0..1", paramLabel = "DIR", description = "Where to. Default: here.")
    private Path folder = Path.of("");

    InitCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException {
        if (Files.exists(folder)
                && !Files.isDirectory(folder)
                && !folder.toString().isEmpty()) {
            throw UserError.usage(folder + ": it is a file", "name a folder");
        }
        String command = Invocation.nameFrom(folder);
        write(folder.resolve("thalweg.yaml"), resource("thalweg.yaml"));
        String view = resource("demand.yaml").replace("./thalweg validate examples/", command + " validate views/");
        write(folder.resolve("views").resolve("demand.yaml"), view);
        String test = resource("tests/demand.yaml")
                .replaceFirst("(?m)^# yaml-language-server.*\\R", "")
                .replace("./thalweg test examples/tests", command + " test tests")
                .replace("view: ../demand.yaml", "view: ../views/demand.yaml");
        write(folder.resolve("tests").resolve("demand.yaml"), test);
        console.out().println("next:");
        if (!folder.toString().isEmpty()) {
            console.out().println("  cd " + folder);
        }
        next(command + " validate views/demand.yaml", "after naming your topic and fields there");
        next(command + " test tests", "whether its rows are what you expect");
        next(command + " explain demand", "what it would need");
        next(command + " run demand --input EVENTS.jsonl", "");
        return 0;
    }

    private void next(String line, String why) {
        console.out().println("  %-38s  %s".formatted(line, why).stripTrailing());
    }

    private void write(Path file, String text) throws IOException {
        if (Files.exists(file)) {
            console.out().println(file + " is there already, left as it is");
            return;
        }
        Path parent = file.toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        Files.writeString(file, text, StandardOpenOption.CREATE_NEW);
        console.out().println("wrote " + file);
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = InitCommand.class.getResourceAsStream("init/" + name)) {
            return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
