package io.thalweg.cli;

import io.thalweg.cli.run.DemoCommand;
import io.thalweg.cli.run.GenerateCommand;
import io.thalweg.cli.run.IngestCommand;
import io.thalweg.cli.run.MaterializeCommand;
import io.thalweg.cli.run.PublishCommand;
import io.thalweg.cli.run.ReplayCommand;
import io.thalweg.cli.run.RunCommand;
import io.thalweg.cli.run.ServeCommand;
import io.thalweg.cli.run.StopCommand;
import io.thalweg.cli.test.TestCommand;
import java.time.Instant;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The {@code thalweg} command. */
@Command(
        name = "thalweg",
        description = "Near-real-time features, from the event to the model.",
        versionProvider = Version.class,
        footer = {
            "",
            "Example:",
            "  thalweg demo                              a simulated city, nothing else needed",
            "  thalweg init && thalweg validate views/demand.yaml",
            "",
            "Every command has --help with an example. Exit codes: 0 done, 1 failed, 2 wrong use or definition,",
            "130 a bounded run was interrupted."
        })
@SuppressWarnings("UnusedVariable") // picocli reads the options
public final class Main implements Runnable {
    @Option(
            names = "--debug",
            scope = ScopeType.INHERIT,
            description = "Show stack traces and the log on standard error.")
    private boolean debug;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Show this help.")
    private boolean help;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Show the version.")
    private boolean version;

    private Main() {}

    /** Runs a command and ends the process with its exit code. */
    public static void main(String[] args) {
        StandardError.takeBack();
        configureLogging(args);
        ProcessFolder.enter(Instant.now());
        int exitCode = run(args, Console.system());
        ProcessFolder.leave();
        System.exit(exitCode);
    }

    private static void configureLogging(String[] args) {
        try {
            Logging.configure(List.of(args), System.getenv());
        } catch (UserError e) {
            System.exit(new Errors(Console.system()).report(e));
        }
        if (Logging.isJson(System.getenv())) {
            LoggedLines.takeStandardError();
        }
    }

    /** Runs a command in this process; returns its exit code. */
    public static int run(String[] args, Console console) {
        try {
            return commandLine(console).execute(helpAsOption(args));
        } finally {
            console.out().flush();
            console.err().flush();
        }
    }

    /** Rewrites {@code thalweg help get} to {@code thalweg get --help}. */
    private static String[] helpAsOption(String[] args) {
        if (args.length == 0 || !args[0].equals("help")) {
            return args;
        }
        return args.length == 1 ? new String[] {"--help"} : new String[] {args[1], "--help"};
    }

    private static CommandLine commandLine(Console console) {
        Errors errors = new Errors(console);
        CommandLine top = new CommandLine(new Main())
                .addSubcommand(new DemoCommand(console))
                .addSubcommand(new RunCommand(console))
                .addSubcommand(new PublishCommand(console))
                .addSubcommand(new MaterializeCommand(console))
                .addSubcommand(new IngestCommand(console))
                .addSubcommand(new ReplayCommand(console))
                .addSubcommand(new GenerateCommand(console))
                .addSubcommand(new StopCommand(console))
                .addSubcommand(new ServeCommand(console))
                .addSubcommand(new GetCommand(console))
                .addSubcommand(new ScanCommand(console))
                .addSubcommand(new AliasCommand(console))
                .addSubcommand(new TuneCommand(console))
                .addSubcommand(new TokenCommand(console))
                .addSubcommand(new ValidateCommand(console))
                .addSubcommand(new ExplainCommand(console))
                .addSubcommand(new ViewsCommand(console))
                .addSubcommand(new InitCommand(console))
                .addSubcommand(new TestCommand(console))
                .addSubcommand(new VerifyCommand(console))
                .addSubcommand(new CommandLine(new ExportCommand())
                        .addSubcommand(new ExportFeastCommand(console))
                        .addSubcommand(new ExportTerraformCommand(console)))
                .addSubcommand(new CommandLine(new QalmCommand()).addSubcommand(new PrefillCommand(console)))
                .addSubcommand(new CommandLine(new StoreCommand())
                        .addSubcommand(new StoreBackupCommand(console))
                        .addSubcommand(new StoreRestoreCommand(console)))
                .addSubcommand(new BenchCommand());
        return top.setOut(console.out())
                .setErr(console.err())
                .setColorScheme(CommandLine.Help.defaultColorScheme(console.isTerminal() ? Ansi.AUTO : Ansi.OFF))
                .setUsageHelpWidth(110)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler(errors)
                .setExecutionExceptionHandler(errors);
    }

    /** Prints the help if there is no command, and reports wrong use. */
    @Override
    public void run() {
        throw UserError.usage("name a command", "thalweg --help lists them; thalweg demo shows what it does");
    }
}
