package io.thalweg.jobs.compute;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.formats.Outcome;
import io.thalweg.jobs.EmbeddedFlink;
import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.sink.LocalStreams;
import io.thalweg.model.ClockSpec;
import io.thalweg.model.FeatureView;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ComputeFilesIT {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @ParameterizedTest(name = "parallelism {0}")
    @ValueSource(ints = {1, 2, 4})
    void run_boundedFile_rowsEqualTheNaiveRecount(int parallelism) throws Exception {
        FeatureView view = CityEvents.view("json", "at_least_once");
        List<String> events = CityEvents.events(42, 2_000, 40.73, -73.99);
        Path file = Files.write(folder.resolve("events.jsonl"), events);
        String job = UUID.randomUUID().toString();
        ByteArrayOutputStream rows = new ByteArrayOutputStream();
        ByteArrayOutputStream dead = new ByteArrayOutputStream();
        LocalStreams.register(job, rows, dead);

        StreamExecutionEnvironment environment = EmbeddedFlink.bounded(parallelism);
        new ComputeJob(
                        job,
                        "test",
                        List.of(view),
                        new ComputeJob.Files(Map.of("rider-events", List.of(file.toString())), true, true),
                        null,
                        ClockSpec.system(),
                        false)
                .addTo(environment);
        environment.execute();

        List<String> lines =
                rows.toString(StandardCharsets.UTF_8).lines().sorted().toList();
        assertThat(lines).isEqualTo(CityEvents.expectedRows(view, events));
        JobMetrics.View counts = JobMetrics.of(job).view("demand");
        assertThat(counts.events()).isEqualTo(events.size());
        assertThat(counts.outcome(Outcome.ACCEPTED)).isEqualTo(CityEvents.accepted(view, events));
        assertThat(counts.outcome(Outcome.LATE))
                .isEqualTo(dead.toString(StandardCharsets.UTF_8).lines().count());
        assertThat(counts.rows()).isEqualTo(lines.size());
    }
}
