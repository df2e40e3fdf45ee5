package io.thalweg.cli;

import io.thalweg.runner.UserError;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Decides what is logged where. It sets system properties that the Log4j configurations read, so it must run before the
 * first logger is created.
 *
 * <p>As text, warnings go to standard error, without stack traces; {@code --debug} shows everything there. The commands that
 * run jobs also write everything to a file in the folder {@code thalweg.log.dir}, or {@code .thalweg/log}. As JSON,
 * everything goes to standard error, and no file is written.
 */
final class Logging {
    /** The environment variable that selects the format. */
    static final String VARIABLE = "THALWEG_LOG";

    private static final Set<String> TO_FILE =
            Set.of("run", "demo", "serve", "materialize", "publish", "ingest", "replay", "test");

    private Logging() {}

    /** Whether the log, and everything else on standard error, is one JSON object per line. */
    static boolean isJson(Map<String, String> env) {
        return "json".equals(env.get(VARIABLE));
    }

    /**
     * Sets the properties.
     *
     * @throws UserError if the variable names an unknown format
     */
    static void configure(List<String> args, Map<String, String> env) {
        String form = env.getOrDefault(VARIABLE, "text");
        if (!Set.of("text", "json").contains(form)) {
            throw UserError.usage("%s must be text or json, was '%s'".formatted(VARIABLE, form), "");
        }
        boolean all = args.contains("--debug") || isJson(env);
        set("thalweg.log.level", all ? "INFO" : "WARN");
        set("thalweg.log.others", all ? "INFO" : "OFF");
        set("thalweg.log.traces", String.valueOf(all));
        String command =
                args.stream().filter(arg -> !arg.startsWith("-")).findFirst().orElse("");
        if (isJson(env)) {
            set("log4j2.configurationFile", "classpath:log4j2-json.properties");
        } else if (TO_FILE.contains(command)) {
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
