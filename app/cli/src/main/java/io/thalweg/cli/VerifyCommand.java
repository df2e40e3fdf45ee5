package io.thalweg.cli;

import io.thalweg.formats.LineReader;
import io.thalweg.model.source.Source;
import io.thalweg.model.view.FeatureView;
import io.thalweg.runner.ConfiguredLookups;
import io.thalweg.runner.Console;
import io.thalweg.runner.Events;
import io.thalweg.runner.FileReason;
import io.thalweg.runner.ProgressLine;
import io.thalweg.runner.UserError;
import io.thalweg.runner.ViewFiles;
import io.thalweg.verify.ComparedRow;
import io.thalweg.verify.Findings;
import io.thalweg.verify.Recount;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code thalweg verify}: compares rows with a plain recount of their events. */
@Command(
        name = "verify",
        description =
                "Counts a view's rows once more, the plain way, and compares them bit for bit. Exit code 1 if any differs.",
        footer = {
            "",
            "Example:",
            "  thalweg run examples/demand.yaml --input events.jsonl --output rows.jsonl",
            "  thalweg verify examples/demand.yaml --input events.jsonl --rows rows.jsonl"
        })
final class VerifyCommand implements Callable<Integer> {
    private static final int BATCH = 2_048;

    private final Console console;

    @Mixin
    private Config config = new Config();

    @Parameters(paramLabel = "VIEW", description = "A file, or a name from the folders of thalweg.yaml.")
    private String view = "";

    @Option(names = "--input", required = true, paramLabel = "EVENTS", description = "The events; - = standard input.")
    private String input = "";

    @Option(
            names = "--rows",
            required = true,
            paramLabel = "ROWS",
            description = "The rows, a JSON object per line, in any order: a file, a pipe, or - for standard input.")
    private String rows = "";

    @Option(names = "--quiet", description = "No progress.")
    private boolean quiet;

    VerifyCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        if (input.equals("-") && rows.equals("-")) {
            throw UserError.usage("--input and --rows cannot both be standard input", "write one of them to a file");
        }
        ViewFiles files = config.views(console);
        FeatureView loaded = files.one(view);
        Recount recount = Recount.of(loaded);
        Findings findings = new Findings(loaded);
        try (ProgressLine progress = console.progress(quiet)) {
            Events.read(loaded, ConfiguredLookups.of(files.deploymentConfig()), input, console, recount::add);
            recount.forEachRow(row -> {
                findings.expect(row);
                progress.show(
                        () -> "recounting: " + findings.expected() + " rows from " + recount.accepted() + " events");
            });
            compare(loaded, findings, progress);
            findings.findMissing(recount);
        }
        return findings.report(console.out()) ? 0 : UserError.FAILED;
    }

    /** Parses each batch of lines on all cores, because parsing is most of the work; then compares their rows one after another. */
    private void compare(FeatureView loaded, Findings findings, ProgressLine progress) {
        ThreadLocal<Function<byte[], ComparedRow>> parser = ThreadLocal.withInitial(() -> ComparedRow.parser(loaded));
        try (LineReader lines = open()) {
            List<Line> batch = batch(lines);
            while (!batch.isEmpty()) {
                batch.parallelStream().map(line -> parsed(line, parser.get())).toList().stream()
                        .map(this::row)
                        .forEach(findings::row);
                progress.show(() -> "comparing: " + findings.found() + " of " + findings.expected() + " rows");
                batch = batch(lines);
            }
        } catch (IOException e) {
            throw UserError.failed(FileReason.of(e), "").causedBy(e);
        }
    }

    private record Line(long number, byte[] bytes) {}

    /** A line that was read: either a row, or the reason why it is not one. */
    private record Parsed(
            long number,
            @Nullable ComparedRow row,
            @Nullable IllegalArgumentException problem) {}

    private static List<Line> batch(LineReader lines) throws IOException {
        List<Line> batch = new ArrayList<>(BATCH);
        while (batch.size() < BATCH && lines.next()) {
            byte[] bytes = Arrays.copyOfRange(lines.bytes(), lines.offset(), lines.offset() + lines.length());
            batch.add(new Line(lines.lineNumber(), bytes));
        }
        return batch;
    }

    private static Parsed parsed(Line line, Function<byte[], ComparedRow> parser) {
        try {
            return new Parsed(line.number(), parser.apply(line.bytes()), null);
        } catch (IllegalArgumentException e) {
            return new Parsed(line.number(), null, e);
        }
    }

    private ComparedRow row(Parsed parsed) {
        ComparedRow row = parsed.row();
        IllegalArgumentException problem = parsed.problem();
        if (row == null || problem != null) {
            String why = problem == null ? "no row" : String.valueOf(problem.getMessage());
            throw UserError.failed(rows + ":" + parsed.number() + ": " + why, "rows are JSON lines of view " + view);
        }
        return row;
    }

    private LineReader open() throws IOException {
        return rows.equals("-")
                ? LineReader.of(console.in(), rows, Source.Format.JSON)
                : LineReader.open(Events.readable(rows), Source.Format.JSON);
    }
}
