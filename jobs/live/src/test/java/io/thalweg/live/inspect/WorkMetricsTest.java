package io.thalweg.live.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.live.inspect.JobState.Batches;
import io.thalweg.live.inspect.JobState.Filter;
import io.thalweg.live.inspect.JobState.ThreadTime;
import io.thalweg.live.inspect.JobState.Work;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkMetricsTest {
    private final WorkMetrics metrics = new WorkMetrics();

    private void add(String id, long value) {
        assertThat(WorkMetrics.isWork(id)).as(id).isTrue();
        metrics.add(id, value);
    }

    @Test
    void work_metricsOfSubtasks_areAddedUpByDefinition() {
        for (String subtask :
                List.of("0.translate_rides.thalweg.ingest.rides.", "1.translate_rides.thalweg.ingest.rides.")) {
            add(subtask + "conditions", 1);
            add(subtask + "outcome.kept.ingest_events", 30);
            add(subtask + "outcome.filtered.ingest_events", 2);
            add(subtask + "stage.translate.ingest_stage_nanos", 5_000_000);
            add(subtask + "stage.write.ingest_stage_nanos", 1_000_000);
        }
        assertThat(metrics.work()).isEqualTo(new Work(List.of(new Filter("rides", 60, 4)), 10, 2, List.of()));
    }

    @Test
    void work_viewsWithAndWithoutConditions_haveAFilterOrNone() {
        add("0.route_events.thalweg.view.demand.conditions", 2);
        add("0.route_events.thalweg.view.demand.outcome.accepted.events", 7);
        add("0.route_events.thalweg.view.demand.outcome.skipped.events", 3);
        add("0.route_events.thalweg.view.supply.conditions", 0);
        add("0.route_events.thalweg.view.supply.outcome.accepted.events", 10);
        assertThat(metrics.work().filters()).containsExactly(new Filter("demand", 7, 3));
    }

    @Test
    void work_batchesOfSubtasks_haveTheLimitOfOne() {
        for (String subtask : List.of("0.load_demand.thalweg.view.demand.", "1.load_demand.thalweg.view.demand.")) {
            add(subtask + "writes", 10);
            add(subtask + "loaded_rows", 100);
            add(subtask + "write_nanos", 50_000_000);
            add(subtask + "batch_rows_limit", 12);
            add(subtask + "in_flight_limit", 4);
            add(subtask + "target_latency_ms", 200);
        }
        assertThat(metrics.work().batches()).containsExactly(new Batches("demand", 20, 200, 100, 12, 4, 200));
    }

    @Test
    void threads_ofATaskThatEachOfItsOperatorsReports_countOnce() {
        add("0.translate.thalweg.task_cpu_nanos", 4_000_000);
        add("0.write.thalweg.task_cpu_nanos", 4_000_000);
        add("0.translate.thalweg.task_waited_nanos", 2_000_000);
        add("10.Source__read_thalweg.thalweg.fetch_cpu_nanos", 9_000_000);
        assertThat(metrics.task(0)).isEqualTo(new ThreadTime(4, 2));
        assertThat(metrics.fetcher(0)).isEqualTo(new ThreadTime(0, 0));
        assertThat(metrics.fetcher(10)).isEqualTo(new ThreadTime(9, 0));
    }

    @Test
    void isWork_otherMetrics_areNot() {
        assertThat(WorkMetrics.isWork("0.numRecordsIn")).isFalse();
        assertThat(WorkMetrics.isWork("0.translate.thalweg.ingest.rides.ingest_bytes"))
                .isFalse();
        assertThat(WorkMetrics.isWork("0.load.thalweg.view.demand.retries")).isFalse();
    }
}
