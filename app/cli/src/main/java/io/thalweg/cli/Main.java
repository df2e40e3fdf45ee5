package io.thalweg.cli;

import io.thalweg.runner.Console;
import io.thalweg.runner.ProcessFolder;
import io.thalweg.runner.UserError;
import io.thalweg.runner.Version;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
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
        versionProvider = Main.VersionText.class,
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
        int exitCode = run(args, systemConsole());
        ProcessFolder.leave();
        System.exit(exitCode);
    }

    /** Returns the console of this process, in UTF-8. If the log is JSON, so is everything written to {@link Console#err}. */
    @SuppressWarnings("SystemConsoleNull") // see jdk.console
    static Console systemConsole() {
        // From Java 22 on, System.console() would be non-null even without a terminal.
        System.setProperty("jdk.console", "java.base");
        String term = System.getenv().getOrDefault("TERM", "dumb");
        boolean json = Logging.isJson(System.getenv());
        boolean terminal = !json && System.console() != null && !term.isEmpty() && !term.equals("dumb");
        return new Console(
                writer(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16), false),
                json ? LoggedLines.writer() : writer(new FileOutputStream(FileDescriptor.err), true),
                System.in,
                terminal,
                System.getenv(),
                System::nanoTime);
    }

    private static PrintWriter writer(OutputStream out, boolean flushLines) {
        return new PrintWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), flushLines);
    }

    private static void configureLogging(String[] args) {
        try {
            Logging.configure(List.of(args), System.getenv());
        } catch (UserError e) {
            System.exit(new Errors(systemConsole()).report(e));
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
                .addSubcommand(new TrainingSetCommand(console))
                .addSubcommand(new CommandLine(new ExportCommand())
                        .addSubcommand(new ExportFeastCommand(console))
                        .addSubcommand(new ExportTerraformCommand(console)))
                .addSubcommand(new CommandLine(new LogCommand())
                        .addSubcommand(new LogShowCommand(console))
                        .addSubcommand(new LogExportCommand(console)))
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

    /** The version that was built, and the commit if it was built from git. */
    static final class VersionText implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {Version.text()};
        }
    }

    /** Prints the help if there is no command, and reports wrong use. */
    @Override
    public void run() {
        throw UserError.usage("name a command", "thalweg --help lists them; thalweg demo shows what it does");
    }
}
