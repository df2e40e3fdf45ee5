package io.thalweg.runner;

import java.io.IOException;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One run of a variant, in a process of its own.
 *
 * <p><b>Threads.</b> One thread runs it; any may call {@link #kill}.
 */
final class TrialProcess {
    private static final long PATIENCE_MINUTES = 15;
    private static final int OUT_OF_MEMORY = 3;
    /** The java options of this process that a job needs too. The others belong to the variant, or to a short command. */
    private static final Pattern KEPT = Pattern.compile("--(add|enable|sun)[a-z-]*=.*");

    /** The options in {@code THALWEG_JAVA_OPTS} that the variant overrides. */
    private static final Pattern OF_VARIANT = Pattern.compile("-Xm[sx].*|-XX:[+-]Use\\w*GC|-Djava\\.io\\.tmpdir=.*");

    private final Path folder;
    private volatile @Nullable Process process;
    private volatile boolean killed;

    /** Creates a run that works in a folder of its own, which it removes at its end. */
    TrialProcess(Path folder) {
        this.folder = folder;
    }

    /**
     * The outcome of a run.
     *
     * @param result null = the run failed
     * @param failure the reason; empty if it did not fail
     */
    record Outcome(@Nullable TrialResult result, String failure) {}

    /** Runs the process and waits for its end. */
    Outcome run(Properties task, TrialSettings settings) throws IOException, InterruptedException {
        Path temporary = Files.createDirectories(folder.resolve("tmp"));
        Path errors = folder.resolve("stderr");
        try {
            try (Writer out = Files.newBufferedWriter(folder.resolve(TrialJob.TASK))) {
                task.store(out, null);
            }
            Process started = new ProcessBuilder(command(settings, temporary))
                    .redirectError(errors.toFile())
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            process = started;
            if (killed) {
                kill();
            }
            if (!started.waitFor(PATIENCE_MINUTES, TimeUnit.MINUTES)) {
                return new Outcome(null, "it took longer than %d min".formatted(PATIENCE_MINUTES));
            }
            return started.exitValue() == 0
                    ? new Outcome(TrialResult.read(folder.resolve(TrialJob.RESULT)), "")
                    : new Outcome(null, failure(started.exitValue(), errors));
        } finally {
            kill();
            Folders.deleteQuietly(folder);
        }
    }

    private static String failure(int exitCode, Path errors) throws IOException {
        if (exitCode == OUT_OF_MEMORY) {
            return "out of memory";
        }
        List<String> lines = Files.readAllLines(errors, StandardCharsets.UTF_8).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("WARNING: "))
                .toList();
        return lines.isEmpty() ? "it ended with exit code " + exitCode : lines.get(lines.size() - 1);
    }

    private List<String> command(TrialSettings settings, Path temporary) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> KEPT.matcher(option).matches())
                .forEach(command::add);
        for (String option :
                System.getenv().getOrDefault("THALWEG_JAVA_OPTS", "").split("\\s+")) {
            if (!option.isEmpty() && !OF_VARIANT.matcher(option).matches()) {
                command.add(option);
            }
        }
        command.addAll(List.of(
                settings.gcOption(),
                "-Xms" + settings.heap(), // the whole heap from the start, as in a real run
                "-Xmx" + settings.heap(),
                "--add-modules",
                "jdk.incubator.vector",
                "-XX:+ExitOnOutOfMemoryError",
                "-Dfile.encoding=UTF-8",
                "-Djava.io.tmpdir=" + temporary,
                "-Dthalweg.log.level=ERROR",
                "-Dthalweg.log.others=OFF",
                "-cp",
                System.getProperty("java.class.path"),
                TrialJob.class.getName(),
                folder.toString()));
        return command;
    }

    /** Kills the process at once, or as soon as it starts. */
    void kill() {
        killed = true;
        Process running = process;
        if (running != null) {
            running.descendants().forEach(ProcessHandle::destroyForcibly);
            running.destroyForcibly();
            try {
                running.waitFor(10, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Creates the error for a baseline without a result, which fails the trial. */
    static UserError baselineFailed(String failure) {
        return UserError.failed(
                "the baseline failed: " + failure, "run the job over its sample with --debug, or see its log");
    }
}
