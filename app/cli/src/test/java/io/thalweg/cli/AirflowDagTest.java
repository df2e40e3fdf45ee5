package io.thalweg.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.thalweg.testing.Await;
import io.thalweg.testing.Subprocess;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code deploy/airflow}: a DAG that Python compiles, and that runs an existing command. {@code validate.sh} runs it with a real
 * Airflow.
 */
@SuppressWarnings("NullAway.Init")
class AirflowDagTest {
    private static final Path DAG = DeployYaml.DEPLOY.resolve("airflow/thalweg_materialize.py");
    private static final Pattern COMMAND =
            Pattern.compile("bash_command=\\(\\s*\"exec /opt/thalweg/thalweg (.*?)\\s*\\),", Pattern.DOTALL);

    @TempDir
    Path folder;

    @Test
    void dag_itsTask_startsACommandThatThereIs() throws IOException {
        Matcher command = COMMAND.matcher(Files.readString(DAG));
        assertThat(command.find()).isTrue();
        String words = command.group(1)
                .replaceAll("\"\\s+\"", "")
                .replace("\" + TABLE + \"", "driver_stats")
                .replaceAll("\\{\\{.*?}}", "2026-11-19")
                .replaceAll("\"$", "");
        assertThat(words).doesNotContain("\"");
        DeployYaml.requireCommand(List.of(words.split(" ")));
    }

    @Test
    void dag_python_compilesIt() {
        assumeThat(Stream.of(System.getenv("PATH").split(File.pathSeparator)))
                .as("python3")
                .anyMatch(place -> Files.isExecutable(Path.of(place, "python3")));
        String compiled = folder.resolve("dag.pyc").toString();
        try (Subprocess python = Subprocess.start(
                "python3",
                "-c",
                "import py_compile, sys; py_compile.compile(sys.argv[1], sys.argv[2], doraise=True)",
                DAG.toString(),
                compiled)) {
            assertThat(python.awaitExit(Await.PATIENCE))
                    .as(python.stderr().toString())
                    .isZero();
        }
    }
}
