package io.thalweg.cli;

import io.thalweg.runner.Console;
import java.io.ByteArrayInputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Runs commands in this process and keeps what they print. */
final class TestConsole {
    final StringWriter out = new StringWriter();
    final StringWriter err = new StringWriter();
    private final Map<String, String> env;
    private String in = "";
    private boolean terminal;

    TestConsole() {
        this(Map.of());
    }

    TestConsole(Map<String, String> env) {
        this.env = env;
    }

    TestConsole in(String text) {
        in = text;
        return this;
    }

    TestConsole onATerminal() {
        terminal = true;
        return this;
    }

    /** The exit code. */
    int run(String... args) {
        return Main.run(args, console());
    }

    Console console() {
        return new Console(
                new PrintWriter(out, true),
                new PrintWriter(err, true),
                new ByteArrayInputStream(in.getBytes(StandardCharsets.UTF_8)),
                terminal,
                env,
                () -> 0);
    }

    String out() {
        return out.toString();
    }

    String err() {
        return err.toString();
    }
}
