package io.thalweg.cli;

import io.thalweg.runner.Console;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Runs the usual jobs and commands once, on a few generated events, so that the JVM sees the classes that they load.
 * {@code build/class-archive.sh} starts it with {@code -XX:ArchiveClassesAtExit}; later processes take these classes from
 * the archive (ADR 49).
 *
 * <p>Works in the folder that its argument names, and listens on free ports of the loopback interface.
 */
final class ClassArchiveRun {
    private static final String INGEST = """
            apiVersion: thalweg/v1
            kind: Ingest
            name: %s
            source: {files: events.jsonl, format: json, schema: {file: event.json}}
            sink: {%s}
            generate: {fields: {id: {range: 0..1000}}}
            """;

    private final Path folder;
    private final Console console = new Console(
            new PrintWriter(Writer.nullWriter()),
            new PrintWriter(System.err, true, StandardCharsets.UTF_8),
            InputStream.nullInputStream(),
            false,
            Map.of(),
            System::nanoTime);

    private ClassArchiveRun(Path folder) {
        this.folder = folder;
    }

    /** Takes the kind, {@code jobs} or {@code commands}, and the folder. */
    public static void main(String[] args) throws IOException {
        ClassArchiveRun run = new ClassArchiveRun(Path.of(args[1]));
        if (args[0].equals("commands")) {
            run.commands();
        } else {
            System.setProperty("thalweg.log.dir", args[1]);
            Logging.configure(List.of("demo"), Map.of());
            run.jobs();
        }
        System.exit(0);
    }

    /** Runs the commands that answer and end. No server is there to answer, but its client is loaded. */
    private void commands() {
        Main.systemConsole().out().flush();
        command("--version");
        command("--help");
        command("init", folder);
        Path view = folder.resolve("views/demand.yaml");
        command("validate", view);
        command("explain", view);
        command("views", view);
        int unreachable = Main.run(
                new String[] {"get", "demand", "-e", "cell=892a1008003ffff", "--server", "http://127.0.0.1:1"},
                console);
        if (unreachable == 0) {
            throw new IllegalStateException("a server answered on port 1");
        }
    }

    private void jobs() throws IOException {
        command("--help");
        command("init", folder);
        command("validate", folder.resolve("views/demand.yaml"));
        command("explain", folder.resolve("views/demand.yaml"));
        ingest();
        command("demo", "--port", 0, "--events-per-second", 0.05, "--speed", 20, "--minutes", 1, "--exit", "--quiet");
    }

    /** Into both kinds of files. */
    private void ingest() throws IOException {
        Files.writeString(
                folder.resolve("event.json"),
                "{\"type\": \"object\", \"properties\": {\"id\": {\"type\": \"integer\"}, \"name\": {\"type\": \"string\"}}}");
        Files.writeString(folder.resolve("ingest.yaml"), "catalogs: {default: {folder: lake}}\n");
        Path parquet =
                Files.writeString(folder.resolve("parquet.yaml"), INGEST.formatted("to_parquet", "parquet: table"));
        Path iceberg = Files.writeString(
                folder.resolve("iceberg.yaml"), INGEST.formatted("to_iceberg", "iceberg: lake.events"));
        command("generate", parquet, "--count", 100, "--to", folder.resolve("events.jsonl"), "--quiet");
        for (Path definition : List.of(parquet, iceberg)) {
            command("ingest", definition, "--config", folder.resolve("ingest.yaml"), "--quiet");
        }
    }

    private void command(Object... words) {
        String[] arguments = new String[words.length];
        for (int i = 0; i < words.length; i++) {
            arguments[i] = String.valueOf(words[i]);
        }
        int exitCode = Main.run(arguments, console);
        if (exitCode != 0) {
            System.err.println(String.join(" ", arguments) + " exited with " + exitCode);
            System.exit(exitCode); // the command may have left non-daemon threads
        }
    }
}
