package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.devkit.PythonEnvironment;
import io.thalweg.testing.Await;
import io.thalweg.testing.Checkout;
import io.thalweg.testing.Subprocess;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the cells of {@code examples/notebook/training.ipynb}: what a model was trained on is what it is served. */
@Timeout(Await.TIMEOUT_SECONDS)
final class NotebookIT {
    private static final String SCRIPT = """
            import json, sys
            names = {}
            for cell in json.load(open(sys.argv[1], encoding="utf-8"))["cells"]:
                if cell["cell_type"] == "code":
                    exec("".join(cell["source"]), names)
            assert names["known"].sum() > 1000, names["known"].sum()
            assert names["explained"] > 0.2, names["explained"]
            for view, causes in names["causes"].items():
                assert causes["equal"] > 100 and causes["different"] == 0, causes
            """;

    @TempDir
    private Path folder = Path.of("");

    @Tag("soak")
    @Test
    void training_cells_run() throws Exception {
        Path bin = PythonEnvironment.installed("pandas-2.2.3", "pandas[parquet]==2.2.3")
                .bin();
        Launched.putInto(folder);
        Map<String, String> environment =
                Map.of("PYTHONPATH", Checkout.file("clients/python").toString());
        List<String> command = List.of(
                bin.resolve("python").toString(),
                "-c",
                SCRIPT,
                Checkout.file("examples/notebook/training.ipynb").toString());
        try (Subprocess python = Subprocess.start(folder, environment, command)) {
            assertThat(python.awaitExit(Await.PATIENCE))
                    .as(() -> String.join("\n", python.stderr()))
                    .isZero();
        }
    }
}
