package io.thalweg.live.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.live.inspect.Finding.Domain;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Jobs with a problem, and the same jobs after the proposed change, as {@code GET /v1/jobs} returned them at the beginning and the end
 * of 10 to 15 s, on a machine with two processors. Other builds kept the machine busy meanwhile: it had work for about three more.
 * {@code TuneIllnessesIT} of the module cli creates such jobs and writes their states.
 */
class RecordedJobsTest {
    private static JobSpan recorded(String name) throws IOException {
        try (InputStream json = RecordedJobsTest.class.getResourceAsStream(name + ".json")) {
            List<JobState> states = JobStates.ofJson(new ObjectMapper().readTree(Objects.requireNonNull(json, name)));
            return new JobSpan(states);
        }
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            healthy,                    ,
            function-that-calls,        REMOTE_CALLS,       that the function of the ingest calls
            too-few-partitions,         PARTITIONING,       1 of them has read nothing
            too-few-partitions-changed, ,
            hot-partition,              PARTITIONING,       one of the 2 subtasks
            hot-partition-changed,      ,
            hot-hexagon,                PARTITIONING,       'assemble place → store place'
            hot-hexagon-filtered-out,   ,
            filter-that-drops-nothing,  ALGORITHM,          where of rides has dropped none of
            filter-changed,             ,
            function-that-allocates,    GARBAGE_COLLECTION, of the heap of 622 MB is always in use
            function-that-allocates-changed, ,
            function-that-calls-changed, ,
            too-little-heap,            GARBAGE_COLLECTION, more heap: THALWEG_JAVA_OPTS=-Xmx572m
            too-little-heap-changed,    ,
            too-little-heap-on-busy-machine, GARBAGE_COLLECTION, more heap: THALWEG_JAVA_OPTS=-Xmx572m
            slow-store,                 REMOTE_CALLS,       load.target_latency: 900ms instead of 200ms
            slow-store-changed,         ,
            small-batch,                BATCH_SIZE,         load.batch_rows: 5000 instead of 10
            small-batch-changed,        ,
            frequent-checkpoints,       CHECKPOINTS,        checkpoints.every: 10s instead of 20ms
            frequent-checkpoints-changed, ,
            busy-machine,               MACHINE,            they have no processor
            """)
    void of_recordedJob_namesItsIllnessFirst(String name, Domain domain, String text) throws IOException {
        List<Finding> findings = Diagnosis.of(recorded(name));
        if (domain == null) { // healthy
            assertThat(findings).isEmpty();
            return;
        }
        assertThat(findings.get(0).domain()).as(findings.toString()).isEqualTo(domain);
        assertThat(findings.get(0).toString()).contains(text);
    }
}
