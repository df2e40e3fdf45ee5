package io.thalweg.runner;

import io.thalweg.model.deployment.DeploymentConfig.Load;
import io.thalweg.model.yaml.DurationText;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The settings of a job of a trial.
 *
 * @param gc the garbage collector, by its name in {@code --vary}
 * @param heap the heap size, in the format of {@code -Xmx}
 * @param checkpoints the checkpoint interval
 */
record TrialSettings(int parallelism, String gc, String heap, DurationText checkpoints, Load load) {
    private static final Map<String, String> COLLECTORS = Map.of(
            "parallel", "-XX:+UseParallelGC",
            "g1", "-XX:+UseG1GC",
            "serial", "-XX:+UseSerialGC",
            "z", "-XX:+UseZGC");
    private static final Pattern HEAP = Pattern.compile("([1-9]\\d{0,8})([mg])");
    private static final Pattern MAX_HEAP = Pattern.compile("(?:^|\\s)-Xmx(\\S+)");
    private static final String STANDARD_GC = "parallel";
    private static final String STANDARD_HEAP = "2g";

    /** Returns the settings that the launcher gives a job in this environment. */
    static TrialSettings of(int parallelism, DurationText checkpoints, Load load, Map<String, String> env) {
        String gc = COLLECTORS.entrySet().stream()
                .filter(each -> each.getValue().equals(env.get("THALWEG_GC")))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(STANDARD_GC);
        Matcher heap = MAX_HEAP.matcher(env.getOrDefault("THALWEG_JAVA_OPTS", ""));
        String found = STANDARD_HEAP;
        while (heap.find()) { // java uses the last one
            found = heap.group(1).toLowerCase(Locale.ROOT);
        }
        return new TrialSettings(
                parallelism, gc, HEAP.matcher(found).matches() ? found : STANDARD_HEAP, checkpoints, load);
    }

    /** The option of java that selects the collector. */
    String gcOption() {
        return COLLECTORS.getOrDefault(gc, "");
    }

    /** Bytes of the heap. */
    long heapBytes() {
        Matcher matcher = HEAP.matcher(heap);
        return matcher.matches()
                ? Long.parseLong(matcher.group(1)) << (matcher.group(2).equals("g") ? 30 : 20)
                : 0;
    }

    /** The value of a key. */
    String get(TrialKey key) {
        return switch (key) {
            case PARALLELISM -> String.valueOf(parallelism);
            case GC -> gc;
            case HEAP -> heap;
            case CHECKPOINTS -> checkpoints.text();
            case BATCH_ROWS -> String.valueOf(load.batchRows());
            case IN_FLIGHT -> String.valueOf(load.inFlight());
            case TARGET_LATENCY -> load.targetLatency().text();
        };
    }

    /**
     * Returns these settings with another value of a key.
     *
     * @throws UserError if the key cannot have it
     */
    TrialSettings with(TrialKey key, String value) {
        return switch (key) {
            case PARALLELISM -> new TrialSettings(number(key, value, 256), gc, heap, checkpoints, load);
            case GC -> {
                if (!COLLECTORS.containsKey(value)) {
                    throw wrong(key, value, "parallel, g1, serial or z");
                }
                yield new TrialSettings(parallelism, value, heap, checkpoints, load);
            }
            case HEAP -> {
                if (!HEAP.matcher(value).matches()) {
                    throw wrong(key, value, "a size such as 512m or 4g");
                }
                yield new TrialSettings(parallelism, gc, value, checkpoints, load);
            }
            case CHECKPOINTS -> new TrialSettings(parallelism, gc, heap, duration(key, value), load);
            case BATCH_ROWS ->
                with(new Load(
                        number(key, value, 1_000_000),
                        load.batchBytes(),
                        load.linger(),
                        load.inFlight(),
                        load.targetLatency()));
            case IN_FLIGHT ->
                with(new Load(
                        load.batchRows(),
                        load.batchBytes(),
                        load.linger(),
                        number(key, value, 256),
                        load.targetLatency()));
            case TARGET_LATENCY ->
                with(new Load(
                        load.batchRows(), load.batchBytes(), load.linger(), load.inFlight(), duration(key, value)));
        };
    }

    private TrialSettings with(Load other) {
        return new TrialSettings(parallelism, gc, heap, checkpoints, other);
    }

    private static int number(TrialKey key, String value, int most) {
        try {
            int number = Integer.parseInt(value);
            if (number >= 1 && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // reported below, as a number out of range is
        }
        throw wrong(key, value, "1 to %,d".formatted(most));
    }

    private static DurationText duration(TrialKey key, String value) {
        try {
            DurationText duration = DurationText.parse(value);
            if (duration.millis() > 0) {
                return duration;
            }
        } catch (IllegalArgumentException e) {
            // reported below, as 0 is
        }
        throw wrong(key, value, "a duration of at least 1ms, such as 10s");
    }

    private static UserError wrong(TrialKey key, String value, String rule) {
        return UserError.usage(
                "--vary %s must be %s, was '%s'".formatted(key.text(), rule, value),
                "such as --vary %s=%s".formatted(key.text(), rule.contains("size") ? "1g,4g" : example(key)));
    }

    private static String example(TrialKey key) {
        return switch (key) {
            case GC -> "g1,serial";
            case CHECKPOINTS, TARGET_LATENCY -> "1s,1m";
            default -> "1,2";
        };
    }

    /** Writes the settings for the process that runs with them, without the collector and the heap, which are java options. */
    void writeTo(Properties properties) {
        for (TrialKey key : TrialKey.values()) {
            properties.setProperty(key.text(), get(key));
        }
    }

    /** Reads what {@link #writeTo} wrote. Settings that no key changes come from the deployment. */
    static TrialSettings readFrom(Properties properties, Load deployment) {
        TrialSettings settings =
                new TrialSettings(1, STANDARD_GC, STANDARD_HEAP, DurationText.parse("10s"), deployment);
        for (TrialKey key : TrialKey.values()) {
            settings = settings.with(key, properties.getProperty(key.text(), settings.get(key)));
        }
        return settings;
    }
}
