package io.thalweg.cli;

import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Writes a completion script for fish, which picocli does not: a line for each command, and one for each of its options. */
final class FishCompletion {
    private final String program;
    private final StringBuilder out = new StringBuilder();

    private FishCompletion(String program) {
        this.program = program;
    }

    static String script(CommandLine top) {
        FishCompletion script = new FishCompletion(top.getCommandName());
        script.out.append("# Completes ").append(script.program).append(" in fish.\n");
        script.commands(top, "__fish_use_subcommand");
        return script.out.toString();
    }

    /** Adds the subcommands of a command. {@code where} is the condition under which they can follow. */
    private void commands(CommandLine command, String where) {
        command.getSubcommands().forEach((name, each) -> {
            line(where).append(" -f -a ").append(quoted(name));
            describe(each.getCommandSpec().usageMessage().description(), "");
            String within = "__fish_seen_subcommand_from " + name;
            each.getCommandSpec().options().forEach(option -> option(option, within));
            if (!each.getSubcommands().isEmpty()) {
                String nested = String.join(" ", each.getSubcommands().keySet());
                commands(each, within + "; and not __fish_seen_subcommand_from " + nested);
            }
        });
    }

    private StringBuilder line(String where) {
        return out.append("complete -c ").append(program).append(" -n ").append(quoted(where));
    }

    private void describe(String[] description, @Nullable String byDefault) {
        String text = description.length == 0 ? "" : description[0].replace("${DEFAULT-VALUE}", byDefault + "");
        out.append(" -d ").append(quoted(text)).append('\n');
    }

    private void option(OptionSpec option, String where) {
        if (option.hidden()) {
            return;
        }
        line(where);
        for (String name : option.names()) {
            out.append(name.startsWith("--") ? " -l " : " -s ").append(name.replaceFirst("^--?", ""));
        }
        if (option.arity().max() > 0) {
            out.append(" -r");
            if (option.completionCandidates() != null) {
                String values = StreamSupport.stream(
                                option.completionCandidates().spliterator(), false)
                        .collect(Collectors.joining(" "));
                out.append(" -f -a ").append(quoted(values));
            }
        }
        describe(option.description(), option.defaultValue());
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
