package io.thalweg.jobs.compute;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.formats.lookup.LookupSources;
import io.thalweg.formats.view.EventOutcome;
import io.thalweg.jobs.EmbeddedFlink;
import io.thalweg.jobs.JobAccounts;
import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.sink.LocalStreams;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.view.FeatureView;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("test")
class ComputeFilesIT {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @ParameterizedTest(name = "parallelism {0}")
    @ValueSource(ints = {1, 2, 4})
    void run_boundedFile_rowsEqualTheNaiveRecount(int parallelism) throws Exception {
        FeatureView view = CityEvents.view("json", "at_least_once");
        List<String> events = CityEvents.events(42, 200, 40.73, -73.99);
        Run run = run(view, events, parallelism);

        assertThat(run.rows).isEqualTo(CityEvents.expectedRows(view, events));
        assertThat(run.counts.events()).isEqualTo(events.size());
        assertThat(run.counts.outcome(EventOutcome.ACCEPTED)).isEqualTo(CityEvents.accepted(view, events));
        assertThat(run.counts.outcome(EventOutcome.LATE)).isEqualTo(run.deadLetters);
        assertThat(run.counts.rows()).isEqualTo(run.rows.size());
    }

    /** Early rows are for streams; files have none. */
    @ParameterizedTest(name = "parallelism {0}, {1}, {2}")
    @CsvSource(
            delimiter = '|',
            value = {
                "1 | [{name: merchant, field: merchant}] | [1m]",
                "2 | [{name: merchant, field: merchant}] | [1m, 2m, 8m]",
                "4 | [{name: device, field: device, type: uuid}] | [1m, 3m]",
                "2 | [{name: shop, field: shop, type: int64}, {name: merchant, field: merchant}] | [1m]",
            })
    void run_boundedFileOfAKeyedView_rowsEqualTheNaiveRecount(int parallelism, String entities, String sizes)
            throws Exception {
        FeatureView view = OrderEvents.view(entities, sizes, "emit: {early: 10ms}");
        List<String> events = OrderEvents.events(42, 4_000);
        OrderEvents.Expected expected = OrderEvents.expected(view, List.of(events));

        Run run = run(view, events, parallelism);

        assertThat(run.rows).isEqualTo(expected.upTo(Long.MAX_VALUE)).hasSizeGreaterThan(500);
        assertThat(run.counts.outcome(EventOutcome.ACCEPTED))
                .isEqualTo(expected.recount().accepted());
        assertThat(run.counts.events()).isEqualTo(events.size());
        assertThat(run.deadLetters).isEqualTo(expected.deadLetters().size());
        assertThat(run.counts.rows()).isEqualTo(run.rows.size());
    }

    /** The results of a run, with sorted rows. */
    private record Run(List<String> rows, long deadLetters, JobMetrics.View counts) {}

    private Run run(FeatureView view, List<String> events, int parallelism) throws Exception {
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
                        new ComputeJob.Files(Map.of(view.source().topics().get(0), List.of(file.toString()))),
                        LookupSources.files(),
                        null,
                        ClockSpec.system())
                .addTo(environment);
        environment.execute();
        JobMetrics.View counts = JobMetrics.of(job).view(view.qualifiedName());
        new JobAccounts(job).close();

        // No operator registers anything once the job has ended.
        assertThat(JobAccounts.registered()).doesNotContain(job);
        return new Run(
                rows.toString(StandardCharsets.UTF_8).lines().sorted().toList(),
                dead.toString(StandardCharsets.UTF_8).lines().count(),
                counts);
    }
}
