package io.thalweg.cli;

import io.thalweg.model.yaml.DurationText;
import io.thalweg.qalm.registry.Rules;
import io.thalweg.qalm.registry.RulesException;
import io.thalweg.qalm.traces.JaegerClient;
import io.thalweg.qalm.traces.Proposal;
import io.thalweg.qalm.traces.TraceException;
import io.thalweg.qalm.traces.Traces;
import io.thalweg.qalm.yaml.RulesYaml;
import io.thalweg.runner.Console;
import io.thalweg.runner.FileReason;
import io.thalweg.runner.ProgressLine;
import io.thalweg.runner.TextTable;
import io.thalweg.runner.UserError;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code thalweg qalm prefill}: a first rules file from traces of who calls what. */
@Command(
        name = "prefill",
        description = {
            "Proposes a rules file for load management from traces: who calls which endpoint, how often, and level 2 or 3.",
            "Levels 0 and 1 are never proposed: change 2 to 1 for calls that must be served."
        },
        footer = {
            "",
            "Examples:",
            "  thalweg qalm prefill --jaeger http://localhost:16686 --service checkout",
            "  thalweg qalm prefill --dump traces.json --service checkout --out qalm.yaml"
        })
final class PrefillCommand implements Callable<Integer> {
    private final Console console;

    @Option(names = "--jaeger", paramLabel = "URL", description = "Jaeger's page, such as http://localhost:16686.")
    private @Nullable URI jaeger;

    @Option(
            names = "--dump",
            paramLabel = "FILE",
            description = "Traces as JSON, Jaeger's or OTLP's, also .gz; - = standard input. May be repeated.")
    private List<String> dumps = List.of();

    @Option(
            names = "--service",
            paramLabel = "NAME",
            description = "Whose endpoints; all if not given. May be repeated.")
    private List<String> services = List.of();

    @Option(
            names = "--lookback",
            paramLabel = "DURATION",
            description = "How far back Jaeger looks (default: ${DEFAULT-VALUE}).")
    private String lookback = "1h";

    @Option(
            names = "--limit",
            paramLabel = "N",
            description = "Traces of each operation that Jaeger is asked for (default: ${DEFAULT-VALUE}).")
    private int limit = 500;

    @Option(names = "--rules", paramLabel = "FILE", description = "The rules so far: what they say stays.")
    private @Nullable Path rules;

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description =
                    "Write the rules file, which must not be there yet; - = standard output, instead of the table.")
    private @Nullable String out;

    @Option(names = "--quiet", description = "No progress.")
    private boolean quiet;

    PrefillCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException {
        check();
        Rules said = rules == null ? Rules.NONE : read(rules);
        Traces traces = new Traces();
        try (ProgressLine progress = console.progress(quiet)) {
            for (String dump : dumps) {
                add(dump, traces);
            }
            if (jaeger != null) {
                ask(new JaegerClient(jaeger, Clock.systemUTC()), traces, progress);
            }
        } catch (TraceException e) {
            throw UserError.failed(String.valueOf(e.getMessage()), "").causedBy(e);
        }
        Proposal proposal = Proposal.of(traces, Set.copyOf(services), said);
        if (proposal.lines().isEmpty()) {
            throw UserError.failed(nothing(traces), "services must record spans of kind server");
        }
        report(proposal, said);
        return 0;
    }

    private void check() {
        if (jaeger == null && dumps.isEmpty()) {
            throw UserError.usage("name where the traces are: --jaeger URL or --dump FILE", "see --help");
        }
        if (limit < 1) {
            throw UserError.usage("--limit must be at least 1, was " + limit, "such as --limit 500");
        }
        if (jaeger != null
                && (jaeger.getHost() == null
                        || !List.of("http", "https").contains(String.valueOf(jaeger.getScheme())))) {
            throw UserError.usage("--jaeger must be a URL, was '" + jaeger + "'", "such as http://localhost:16686");
        }
        lookback();
    }

    private Duration lookback() {
        try {
            return Duration.ofMillis(DurationText.parse(lookback).millis());
        } catch (IllegalArgumentException e) {
            throw UserError.usage("--lookback must be a duration, was '" + lookback + "'", "such as --lookback 1h")
                    .causedBy(e);
        }
    }

    private static Rules read(Path file) {
        try {
            return RulesYaml.parse(file.toString(), Files.readString(file));
        } catch (IOException e) {
            throw UserError.usage(
                            "--rules " + file + " cannot be read: " + FileReason.of(e),
                            "name a rules file, or leave it out")
                    .causedBy(e);
        } catch (RulesException e) {
            throw UserError.usage(String.valueOf(e.getMessage()), "docs/reference/qalm.md names the keys")
                    .causedBy(e);
        }
    }

    private void add(String dump, Traces traces) {
        if (dump.equals("-")) {
            traces.add("standard input", console.in());
            return;
        }
        try (InputStream file = new BufferedInputStream(Files.newInputStream(Path.of(dump)));
                InputStream plain = dump.endsWith(".gz") ? new GZIPInputStream(file) : file) {
            traces.add(dump, plain);
        } catch (IOException e) {
            throw UserError.failed(
                            "--dump " + dump + " cannot be read: " + FileReason.of(e),
                            "name a JSON file of traces; a compressed one ends in .gz")
                    .causedBy(e);
        }
    }

    private void ask(JaegerClient client, Traces traces, ProgressLine progress) {
        List<String> asked = services.isEmpty() ? client.services() : services;
        for (String service : asked) {
            for (String operation : client.operations(service)) {
                client.collect(service, operation, lookback(), limit, traces);
                progress.show(() -> "%d traces so far, now those of %s".formatted(traces.count(), service));
            }
        }
    }

    private String nothing(Traces traces) {
        return services.isEmpty()
                ? "no call of an endpoint in %d traces".formatted(traces.count())
                : "no call of an endpoint of %s in %d traces".formatted(String.join(", ", services), traces.count());
    }

    private void report(Proposal proposal, Rules said) throws IOException {
        if (out != null && proposal.services().size() > 1) {
            throw UserError.usage(
                    "a rules file is for one service, but the traces have endpoints of "
                            + String.join(", ", proposal.services()),
                    "name one with --service");
        }
        if ("-".equals(out)) {
            console.out().print(proposal.document(said));
            return;
        }
        table(proposal);
        if (out != null) {
            write(Path.of(out), proposal.document(said));
        }
    }

    private void table(Proposal proposal) {
        TextTable table = new TextTable(4, List.of("service", "endpoint", "caller", "why", "calls", "level"));
        for (Proposal.Line line : proposal.lines()) {
            String hint = Proposal.hint(line);
            table.add(List.of(
                    line.service(),
                    line.endpoint(),
                    line.caller(),
                    hint == null ? line.why() : line.why() + "; " + hint,
                    "%,d".formatted(line.calls()),
                    Integer.toString(line.criticality().level())));
        }
        table.print(console.out(), "");
    }

    private void write(Path file, String document) throws IOException {
        try {
            Files.writeString(file, document, StandardOpenOption.CREATE_NEW);
        } catch (FileAlreadyExistsException e) {
            throw UserError.failed("--out " + file + " is there already", "name another file, or compare with --out -")
                    .causedBy(e);
        }
        console.err().println("wrote " + file + "; it takes effect as server.qalm.rules");
    }
}
