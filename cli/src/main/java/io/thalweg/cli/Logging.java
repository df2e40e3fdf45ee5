package io.thalweg.cli;

import java.util.List;
import java.util.Set;

/**
 * Decides what is logged where, by system properties that {@code log4j2.properties} reads; so it must run before the first
 * logger is made. Warnings go to standard error, without stack traces; {@code --debug} shows everything there. The commands
 * that run jobs write everything to a file too, as its folder {@code thalweg.log.dir} or {@code .thalweg/log}.
 */
final class Logging {
    private static final Set<String> TO_FILE =
            Set.of("run", "demo", "serve", "materialize", "publish", "ingest", "replay", "test");

    private Logging() {}

    static void configure(List<String> args) {
        boolean debug = args.contains("--debug");
        set("thalweg.log.level", debug ? "INFO" : "WARN");
        set("thalweg.log.others", debug ? "INFO" : "OFF");
        set("thalweg.log.traces", String.valueOf(debug));
        String command =
                args.stream().filter(arg -> !arg.startsWith("-")).findFirst().orElse("");
        if (TO_FILE.contains(command)) {
            set("thalweg.log.dir", ".thalweg/log");
            set("log4j2.configurationFile", "classpath:log4j2-file.properties");
        }
    }

    private static void set(String property, String value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, value);
        }
    }
}
