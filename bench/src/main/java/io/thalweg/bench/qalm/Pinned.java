package io.thalweg.bench.qalm;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command of a process of this class path on one processor of its own, where the machine has two and {@code taskset}. */
final class Pinned {
    private static final Path TASKSET = Path.of("/usr/bin/taskset");
    private static final List<String> OPTIONS = List.of("-Xms1g", "-Xmx1g", "-XX:+UseG1GC");

    private Pinned() {}

    static boolean possible() {
        return Runtime.getRuntime().availableProcessors() > 1 && Files.isExecutable(TASKSET);
    }

    static List<String> java(int cpu, Class<?> main, List<String> args) {
        List<String> command = new ArrayList<>();
        if (possible()) {
            command.addAll(List.of(TASKSET.toString(), "-c", Integer.toString(cpu)));
        }
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(OPTIONS);
        // Sentinel writes its own log: into the folder that it runs in, not into the user's home.
        command.add("-Dcsp.sentinel.log.dir=sentinel");
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(args);
        return command;
    }
}
