package io.thalweg.bench;

import io.thalweg.bench.advertising.AdvertisingCommand;
import io.thalweg.bench.demand.DemandCommand;
import io.thalweg.bench.ingest.IngestCommand;
import io.thalweg.bench.layouts.LayoutsCommand;
import io.thalweg.bench.micro.MicroCommand;
import io.thalweg.bench.publish.MaterializeCommand;
import io.thalweg.bench.publish.PublishCommand;
import io.thalweg.bench.qalm.QalmCommand;
import io.thalweg.bench.recover.RecoverCommand;
import io.thalweg.bench.serve.ServeCommand;
import io.thalweg.bench.suite.CurrentCommand;
import io.thalweg.bench.suite.ListCommand;
import io.thalweg.bench.suite.RunCommand;
import io.thalweg.bench.training.TrainingCommand;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** {@code thalweg bench}: the measurements, one command each. */
@Command(
        name = "thalweg bench",
        description = "Measures Thalweg, and others on the same load. Definitions: docs/internal/benchmarks.md",
        footer = {"", "Examples:", "  thalweg bench list", "  thalweg bench demand --scale small"})
@SuppressWarnings("UnusedVariable") // picocli reads the options
public final class Main implements Runnable {
    @Option(names = "--debug", scope = ScopeType.INHERIT, description = "Show stack traces.")
    private boolean debug;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Show this help.")
    private boolean help;

    private Main() {}

    /** Runs a measurement; the arguments may begin with {@code bench}, as the launcher passes them. */
    public static void main(String[] args) {
        PrintWriter out = writer(FileDescriptor.out);
        PrintWriter err = writer(FileDescriptor.err);
        int from = args.length > 0 && args[0].equals("bench") ? 1 : 0;
        int code = commandLine(out, err).execute(Arrays.copyOfRange(args, from, args.length));
        out.flush();
        err.flush();
        System.exit(code);
    }

    private static CommandLine commandLine(PrintWriter out, PrintWriter err) {
        CommandLine line = new CommandLine(new Main());
        List.of(
                        new ListCommand(),
                        new RunCommand(Main::commandLine),
                        new CurrentCommand(),
                        new DemandCommand(),
                        new AdvertisingCommand(),
                        new PublishCommand(),
                        new MaterializeCommand(),
                        new ServeCommand(),
                        new LayoutsCommand(),
                        new TrainingCommand(),
                        new RecoverCommand(),
                        new IngestCommand(),
                        new QalmCommand(),
                        new MicroCommand())
                .forEach(line::addSubcommand);
        line.setCaseInsensitiveEnumValuesAllowed(true).setOut(out).setErr(err).setUsageHelpWidth(110);
        line.setParameterExceptionHandler((e, unused) -> {
            print(err, e, "see " + e.getCommandLine().getCommandSpec().qualifiedName() + " --help");
            return 2;
        });
        line.setExecutionExceptionHandler((e, command, parsed) -> {
            print(err, e, "");
            if (parsed.originalArgs().contains("--debug")) {
                e.printStackTrace(err);
            }
            return 1;
        });
        return line;
    }

    private static PrintWriter writer(FileDescriptor descriptor) {
        return new PrintWriter(new OutputStreamWriter(new FileOutputStream(descriptor), StandardCharsets.UTF_8), true);
    }

    private static void print(PrintWriter err, Exception e, String hint) {
        err.println("thalweg: " + (e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage()));
        if (!hint.isEmpty()) {
            err.println("  hint: " + hint);
        }
    }

    /** Lists the measurements if no name is given. */
    @Override
    public void run() {
        throw new CommandLine.ParameterException(
                new CommandLine(this),
                "name a benchmark: demand, advertising, publish, materialize, serve, layouts, training, recover, ingest, qalm or micro; or list, run, current");
    }
}
