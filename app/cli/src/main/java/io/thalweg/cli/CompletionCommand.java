package io.thalweg.cli;

import io.thalweg.runner.Console;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code thalweg completion}: the script that completes commands and options in a shell. */
@Command(
        name = "completion",
        description = "Prints a script that completes commands, options and their values in a shell.",
        footer = {
            "",
            "Examples:",
            "  source <(thalweg completion bash)                       in ~/.bashrc, or zsh in ~/.zshrc",
            "  thalweg completion fish > ~/.config/fish/completions/thalweg.fish",
        })
final class CompletionCommand implements Callable<Integer> {
    private final Console console;

    @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}.")
    private Shell shell = Shell.BASH;

    /** The shells with a script; picocli's works in the first two. */
    private enum Shell {
        BASH,
        ZSH,
        FISH;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    CompletionCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        CommandLine program = Main.commandLine(console);
        String name = program.getCommandName();
        console.out().print(shell == Shell.FISH ? FishCompletion.script(program) : AutoComplete.bash(name, program));
        return 0;
    }
}
