package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.testing.Await;
import io.thalweg.testing.Checkout;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code thalweg test --watch}: runs again after a change, and ends cleanly. */
@Tag("faults")
@Timeout(Await.TIMEOUT_SECONDS)
class TestWatchIT {
    private static final Path EXAMPLES = Checkout.file("examples");
    private static final Duration LIMIT = Await.PATIENCE;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void watch_changedViewThenBrokenThenCtrlC_reportsEachAndLeavesNothing() throws IOException {
        for (String file : new String[] {"campaign_views.yaml", "ads.csv"}) {
            Files.copy(EXAMPLES.resolve(file), folder.resolve(file));
        }
        Path tests = Files.createDirectory(folder.resolve("tests"));
        String test = Files.readString(EXAMPLES.resolve("tests").resolve("campaign_views.yaml"));
        Files.writeString(
                tests.resolve("views.yaml"),
                test.replace("under: [restart, rescale, shuffle_partitions]", "under: []"));
        Path temporary = Files.createDirectory(folder.resolve("tmp"));
        Path view = folder.resolve("campaign_views.yaml");
        String right = Files.readString(view);

        try (Subprocess watching = Subprocess.start(folder, Map.of(), command(temporary, "test", "tests", "--watch"))) {
            watching.awaitLine("1 test, 1 passed, 0 failed", LIMIT);
            watching.awaitLine("watching 2 folders; Ctrl-C ends", LIMIT);

            Files.writeString(view, right.replace("event_type: [view]", "event_type: [view, click]"));
            watching.awaitLine("1 test, 0 passed, 1 failed", LIMIT);
            assertThat(watching.stdout()).anyMatch(line -> line.contains("views_10s: expected 2, was 3"));

            Files.writeString(view, right.replace("event_type: [view]", "event_typ: 1, event_type: [view"));
            watching.awaitLine("campaign_views.yaml:", LIMIT);

            Files.writeString(view, right.replace("event_type: [view]", "event_type: [click]"));
            watching.awaitLine("views_10s: expected 2, was 1|is not there", LIMIT);

            Launched.interrupt(watching);
            assertThat(watching.awaitExit(LIMIT)).isZero();
        }
        assertThat(temporary).isEmptyDirectory();
    }

    private static List<String> command(Path temporary, String... arguments) {
        List<String> command = Launched.program("-Xmx1g");
        command.add(1, "-Djava.io.tmpdir=" + temporary);
        command.addAll(List.of(arguments));
        return command;
    }
}
