package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.devkit.PythonEnvironment;
import io.thalweg.testing.Await;
import io.thalweg.testing.Checkout;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Follows {@code docs/tutorial.md}: saves its files, runs its commands and its Python, and compares what they print. A line that ends
 * with {@code …} is the beginning of a printed one. Only its two ports are replaced, because others may use them.
 */
@Timeout(Await.TIMEOUT_SECONDS)
final class TutorialIT {
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```(\\w+)\\n(.*?)^```$");
    private static final Duration PATIENCE = Await.PATIENCE;

    @TempDir
    private Path folder = Path.of("");

    private final String port = String.valueOf(FreePorts.next());
    private final String consolePort = String.valueOf(FreePorts.next());
    private final List<String> script = new ArrayList<>();
    private List<String> printed = List.of();
    private @Nullable Subprocess server;

    @AfterEach
    void end() {
        if (server != null) {
            server.close();
        }
    }

    @Tag("test")
    @Test
    void tutorial_withoutPandas_printsWhatItSays() throws Exception {
        assertThat(follow("python3", false)).isEqualTo(10);
    }

    @Tag("soak")
    @Test
    void tutorial_withPandas_printsWhatItSays() throws Exception {
        Path bin = PythonEnvironment.installed("pandas-2.2.3", "pandas[parquet]==2.2.3")
                .bin();
        assertThat(follow(bin.resolve("python").toString(), true)).isEqualTo(14);
    }

    /** Returns how many blocks were followed. */
    private int follow(String python, boolean pandas) throws Exception {
        Files.createDirectories(folder.resolve("examples"));
        Files.copy(Checkout.file("examples/orders.csv"), folder.resolve("examples/orders.csv"));
        printed = Files.readAllLines(folder.resolve("examples/orders.csv"));
        String page = Files.readString(Checkout.file("docs/tutorial.md"))
                .replace("8080", port)
                .replace("8081", consolePort);
        int followed = 0;
        boolean skipped = false;
        for (MatchResult block : BLOCK.matcher(page).results().toList()) {
            String text = block.group(2);
            skipped = !pandas
                    && (text.contains("pd.") || (skipped && block.group(1).equals("text")));
            if (skipped) {
                continue;
            }
            followed++;
            switch (block.group(1)) {
                case "yaml" -> Files.writeString(folder.resolve(text.substring(2, text.indexOf('\n'))), text);
                case "console" -> console(text.lines().toList());
                case "python" -> printed = python(python, text);
                case "text" -> assertPrinted(text.lines().toList());
                default -> throw new AssertionError("a block of another language: " + block.group());
            }
        }
        return followed;
    }

    private void console(List<String> lines) throws IOException {
        String command = lines.get(0);
        if (command.startsWith("$ pip install ./clients/python ")) {
            return; // the Python that runs the page has them, or the page is followed without pandas
        }
        assertThat(command).startsWith("$ ./thalweg ");
        Launched.putInto(folder);
        boolean serves = command.endsWith(" --serve");
        if (server != null && serves) {
            server.interrupt();
            assertThat(server.awaitExit(PATIENCE)).isZero();
        }
        Subprocess process = Subprocess.start(
                folder,
                Map.of("THALWEG_SERVER", "http://127.0.0.1:" + port),
                List.of("sh", "-c", "exec " + command.substring(2)));
        if (serves) {
            server = process;
            for (String line : lines.subList(1, lines.size())) {
                process.awaitLine("^" + Pattern.quote(line.replaceFirst("…$", "")), PATIENCE);
            }
        } else {
            assertThat(process.awaitExit(PATIENCE))
                    .as(command + process.stderr())
                    .isZero();
            printed = process.stdout();
            assertPrinted(lines.subList(1, lines.size()));
        }
    }

    /** Runs a block of Python after those before it, and returns what it prints itself. */
    private List<String> python(String python, String block) throws IOException {
        String marker = "-- the next block --";
        Files.write(folder.resolve("before.py"), script);
        script.addAll(block.lines().toList());
        Path file = Files.writeString(
                folder.resolve("block.py"),
                Files.readString(folder.resolve("before.py")) + "print('" + marker + "')\n" + block);
        Map<String, String> environment =
                Map.of("PYTHONPATH", Checkout.file("clients/python").toString());
        try (Subprocess process = Subprocess.start(folder, environment, List.of(python, file.toString()))) {
            assertThat(process.awaitExit(PATIENCE)).as(block + process.stderr()).isZero();
            List<String> all = process.stdout();
            return all.subList(all.indexOf(marker) + 1, all.size());
        }
    }

    private void assertPrinted(List<String> expected) {
        assertThat(expected).allSatisfy(line -> {
            String begin = line.replaceFirst("…$", "");
            assertThat(printed).anyMatch(each -> line.equals(begin) ? each.equals(line) : each.startsWith(begin));
        });
    }
}
