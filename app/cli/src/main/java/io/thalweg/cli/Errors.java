package io.thalweg.cli;

import io.thalweg.model.problem.DefinitionException;
import io.thalweg.model.problem.Problem;
import io.thalweg.model.problem.Suggestion;
import io.thalweg.records.registry.RegistryAwayException;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.runner.Console;
import io.thalweg.runner.FileReason;
import io.thalweg.runner.Invocation;
import io.thalweg.runner.UserError;
import io.thalweg.tables.UnfitTableException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Help.Ansi.Style;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Reports failures: one line and a hint; with {@code --debug} the stack trace too. */
public final class Errors implements IParameterExceptionHandler, IExecutionExceptionHandler {
    private final PrintWriter err;
    private final Ansi colours;

    public Errors(Console console) {
        this.err = console.err();
        this.colours = console.hasColours() ? Ansi.ON : Ansi.OFF;
    }

    @Override
    public int handleParseException(ParameterException e, String[] args) {
        CommandLine command = e.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        String help = "see " + name + " --help";
        if (e instanceof UnmatchedArgumentException unmatched
                && !unmatched.getUnmatched().isEmpty()) {
            String word = unmatched.getUnmatched().get(0);
            tell(unknown(command, word), suggestion(command, word, help));
        } else {
            tell(oneLine(e), help);
        }
        return UserError.USAGE;
    }

    private static String unknown(CommandLine command, String word) {
        if (isOption(word)) {
            return "unknown option " + word;
        }
        return isTop(command) ? "unknown command " + word : "unexpected argument " + word;
    }

    private static String suggestion(CommandLine command, String word, String help) {
        List<String> names = new ArrayList<>();
        if (isOption(word)) {
            command.getCommandSpec().options().forEach(option -> names.addAll(List.of(option.names())));
        } else if (isTop(command)) {
            names.addAll(command.getSubcommands().keySet());
        }
        String bare = word.contains("=") ? word.substring(0, word.indexOf('=')) : word;
        return Suggestion.to(bare.toLowerCase(Locale.ROOT), names)
                .map(name -> "did you mean '" + name + "'? " + help)
                .orElse(help);
    }

    private static boolean isTop(CommandLine command) {
        return command.getParent() == null;
    }

    private static boolean isOption(String word) {
        return word.startsWith("-") && word.length() > 1;
    }

    @Override
    public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) {
        int code = report(e);
        if (isDebug(parsed)) {
            e.printStackTrace(err);
        }
        return code;
    }

    /** Reports a failure; returns the exit code. */
    public int report(Exception e) {
        if (e instanceof UserError error) {
            tell(oneLine(error), error.hint());
            return error.exitCode();
        }
        if (e instanceof DefinitionException definition) {
            for (Problem problem : definition.problems()) {
                tell(problem.toString(), "");
            }
            return UserError.USAGE;
        }
        if (e instanceof SchemaException) {
            tell(oneLine(e), "");
            return UserError.USAGE;
        }
        if (e instanceof RegistryAwayException) {
            tell(oneLine(e), "is it running? See schema_registry in thalweg.yaml");
            return UserError.FAILED;
        }
        if (e instanceof UnfitTableException) {
            String.valueOf(e.getMessage()).lines().forEach(problem -> tell(problem, ""));
            return UserError.USAGE;
        }
        if (e instanceof UncheckedIOException && e.getCause() instanceof IOException cause) {
            return report(cause);
        }
        if (e instanceof IOException io) {
            tell(FileReason.of(io), "");
            return UserError.FAILED;
        }
        tell(
                "unexpected: " + e.getClass().getSimpleName() + ": " + oneLine(e),
                "this is a defect; --debug shows where");
        return UserError.FAILED;
    }

    private void tell(String message, String hint) {
        err.println(coloured("thalweg:", Style.bold, Style.fg_red) + " " + message);
        if (!hint.isEmpty()) {
            err.println("  " + coloured("hint:", Style.bold) + " " + Invocation.inHint(hint));
        }
    }

    private String coloured(String word, Style... styles) {
        return colours.enabled() ? Style.on(styles) + word + Style.off(styles) : word;
    }

    private static String oneLine(Exception e) {
        String message = e.getMessage();
        return message == null ? e.getClass().getSimpleName() : message.strip().replaceAll("\\s*\\R\\s*", " ");
    }

    private static boolean isDebug(ParseResult parsed) {
        return parsed.originalArgs().contains("--debug");
    }
}
