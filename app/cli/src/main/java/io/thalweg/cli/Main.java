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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
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
    /** Answered without creating the program, because scripts ask often. */
    private static final Set<String> VERSION = Set.of("-V", "--version");

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
        if (!Boolean.getBoolean(
                "thalweg.short")) { // the launcher's word for a command that creates no files of its own
            ProcessFolder.enter(Instant.now());
        }
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
            String[] words = helpAsOption(args);
            if (words.length == 1 && VERSION.contains(words[0])) {
                console.out().println(Version.text());
                return 0;
            }
            return commandLine(console, command(words)).execute(words);
        } finally {
            console.out().flush();
            console.err().flush();
        }
    }

    /** Returns the name of the command; null if none is named. */
    private static @Nullable String command(String[] words) {
        return Stream.of(words)
                .filter(word -> !word.startsWith("-"))
                .findFirst()
                .orElse(null);
    }

    /** Rewrites {@code thalweg help get} to {@code thalweg get --help}. */
    private static String[] helpAsOption(String[] args) {
        if (args.length == 0 || !args[0].equals("help")) {
            return args;
        }
        return args.length == 1 ? new String[] {"--help"} : new String[] {args[1], "--help"};
    }

    /** Returns how to create each command, in the order of the help. */
    static Map<String, Supplier<Object>> commands(Console console) {
        Map<String, Supplier<Object>> commands = new LinkedHashMap<>();
        commands.put("demo", () -> new DemoCommand(console));
        commands.put("run", () -> new RunCommand(console));
        commands.put("publish", () -> new PublishCommand(console));
        commands.put("materialize", () -> new MaterializeCommand(console));
        commands.put("ingest", () -> new IngestCommand(console));
        commands.put("replay", () -> new ReplayCommand(console));
        commands.put("generate", () -> new GenerateCommand(console));
        commands.put("stop", () -> new StopCommand(console));
        commands.put("serve", () -> new ServeCommand(console));
        commands.put("get", () -> new GetCommand(console));
        commands.put("scan", () -> new ScanCommand(console));
        commands.put("alias", () -> new AliasCommand(console));
        commands.put("tune", () -> new TuneCommand(console));
        commands.put("token", () -> new TokenCommand(console));
        commands.put("validate", () -> new ValidateCommand(console));
        commands.put("explain", () -> new ExplainCommand(console));
        commands.put("views", () -> new ViewsCommand(console));
        commands.put("init", () -> new InitCommand(console));
        commands.put("test", () -> new TestCommand(console));
        commands.put("verify", () -> new VerifyCommand(console));
        commands.put("training-set", () -> new TrainingSetCommand(console));
        commands.put("skew", () -> new SkewCommand(console));
        commands.put(
                "export",
                () -> new CommandLine(new ExportCommand())
                        .addSubcommand(new ExportFeastCommand(console))
                        .addSubcommand(new ExportTerraformCommand(console)));
        commands.put(
                "log",
                () -> new CommandLine(new LogCommand())
                        .addSubcommand(new LogShowCommand(console))
                        .addSubcommand(new LogCompactCommand(console))
                        .addSubcommand(new LogExportCommand(console)));
        commands.put("qalm", () -> new CommandLine(new QalmCommand()).addSubcommand(new PrefillCommand(console)));
        commands.put(
                "store",
                () -> new CommandLine(new StoreCommand())
                        .addSubcommand(new StoreBackupCommand(console))
                        .addSubcommand(new StoreRestoreCommand(console)));
        commands.put("completion", () -> new CompletionCommand(console));
        commands.put("bench", BenchCommand::new);
        return commands;
    }

    /** Returns the program with one command, or with all where none of that name exists: creating one takes several milliseconds. */
    private static CommandLine commandLine(Console console, @Nullable String name) {
        Errors errors = new Errors(console);
        CommandLine top = new CommandLine(new Main());
        Map<String, Supplier<Object>> commands = commands(console);
        Supplier<Object> one = name == null ? null : commands.get(name);
        if (one == null) {
            commands.forEach((each, command) -> top.addSubcommand(each, command.get()));
        } else {
            top.addSubcommand(name, one.get());
        }
        return top.setOut(console.out())
                .setErr(console.err())
                .setColorScheme(CommandLine.Help.defaultColorScheme(console.hasColours() ? Ansi.ON : Ansi.OFF))
                .setUsageHelpWidth(110)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler(errors)
                .setExecutionExceptionHandler(errors);
    }

    /** Returns the program with all commands. */
    static CommandLine commandLine(Console console) {
        return commandLine(console, null);
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
