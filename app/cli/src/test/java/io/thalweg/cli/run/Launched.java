package io.thalweg.cli.run;

import io.thalweg.testing.Checkout;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The packaged program as a process of its own, started as the launcher starts it, but without its check of the build. */
final class Launched {
    /** The jars of the packaged program. */
    static final Path LIB = Checkout.file("app/cli/target/thalweg/lib");

    /** The option that names the file of the launcher's own options. */
    static final String JAVA_OPTIONS = "@" + Checkout.file("build/java.options");

    /** The option that puts temporary files into the folder of the tests. */
    static final String TEMPORARY_FILES = "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir");

    /** The option for processes that live for seconds, in which the second compiler does not pay off. */
    static final String SHORT_LIVED = "-XX:TieredStopAtLevel=1";

    private Launched() {}

    static Subprocess start(Path directory, Object... arguments) {
        return start(directory, Map.of(), arguments);
    }

    static Subprocess start(Path directory, Map<String, String> environment, Object... arguments) {
        List<String> command = program("-Xmx2g");
        if (!environment.containsKey("JAVA_TOOL_OPTIONS")) { // otherwise tests name another folder
            command.add(1, TEMPORARY_FILES);
        }
        for (Object argument : arguments) {
            command.add(String.valueOf(argument));
        }
        return Subprocess.start(directory, environment, command);
    }

    /** Puts a {@code ./thalweg} into a folder, so that lines which name it run as they are pasted. */
    static void putInto(Path folder) throws IOException {
        List<String> program = program("-Xmx2g");
        program.add(1, "-Dthalweg.command=./thalweg"); // as the launcher passes its own name
        String command = program.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
        Path script = Files.writeString(folder.resolve("thalweg"), "#!/bin/sh\nexec " + command + " \"$@\"\n");
        if (!script.toFile().setExecutable(true)) {
            throw new IOException(script + " cannot be made executable");
        }
    }

    /** Sends Ctrl-C, or SIGTERM where a program cannot get Ctrl-C, which ends a run in the same way. */
    static void interrupt(Subprocess process) {
        process.interrupt();
    }

    /** The command that starts the program, up to the arguments of the program. */
    static List<String> program(String heap) {
        if (!Files.isDirectory(LIB)) {
            throw new AssertionError(LIB + " is not there: this test runs behind the package phase");
        }
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                SHORT_LIVED,
                "-XX:+UseSerialGC",
                heap));
        command.addAll(ClassArchive.options());
        command.add(JAVA_OPTIONS);
        command.addAll(List.of("-cp", LIB + "/*", "io.thalweg.cli.Main"));
        return command;
    }
}
