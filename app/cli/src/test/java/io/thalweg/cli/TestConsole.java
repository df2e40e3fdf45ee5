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

    /** The exit code. */
    int run(String... args) {
        return Main.run(
                args,
                new Console(
                        new PrintWriter(out, true),
                        new PrintWriter(err, true),
                        new ByteArrayInputStream(in.getBytes(StandardCharsets.UTF_8)),
                        false,
                        env,
                        () -> 0));
    }

    String out() {
        return out.toString();
    }

    String err() {
        return err.toString();
    }
}
