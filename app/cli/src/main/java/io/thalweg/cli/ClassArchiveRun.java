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

    public static void main(String[] args) throws IOException {
        System.setProperty("thalweg.log.dir", args[0]);
        Logging.configure(List.of("demo"), Map.of());
        new ClassArchiveRun(Path.of(args[0])).run();
        System.exit(0);
    }

    private void run() throws IOException {
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
