package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the commands of {@code docs/guides/events-to-parquet.md} as they stand there. */
final class EventsToParquetGuideIT {
    private static final Path ROOT = Path.of("..");
    private static final Pattern COMMAND = Pattern.compile("(?m)^\\$ \\./thalweg (.+)$");
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @TempDir
    private Path folder = Path.of("");

    @Test
    void commands_inTheirOrder_makeATableThatAccountsForEachEvent() throws Exception {
        copy("ride_events.yaml");
        copy("rides.thrift");
        String guide = Files.readString(ROOT.resolve("docs/guides/events-to-parquet.md"));
        List<String> commands =
                COMMAND.matcher(guide).results().map(found -> found.group(1)).toList();
        assertThat(commands).hasSize(3);
        String last = "";
        for (String command : commands) {
            try (Subprocess process = Launched.start(folder, (Object[]) command.split(" ", -1))) {
                assertThat(process.awaitExit(PATIENCE))
                        .as(command + process.stderr())
                        .isZero();
                List<String> lines = process.stderr();
                last = lines.get(lines.size() - 1);
            }
        }
        assertThat(last).startsWith("ride_events: records=20000 events=20000 ").contains(" refused=0 ");
        assertThat(Files.readAllLines(folder.resolve("ride_events.dead.jsonl"))).hasSizeBetween(180, 200);
        assertThat(ParquetFolder.rows(folder.resolve("out/rides")).size())
                .isEqualTo(Integer.parseInt(last.replaceFirst(".* written=(\\d+) .*", "$1")));
    }

    private void copy(String example) throws IOException {
        Files.createDirectories(folder.resolve("examples"));
        Files.copy(
                ROOT.resolve("examples").resolve(example),
                folder.resolve("examples").resolve(example));
    }
}
