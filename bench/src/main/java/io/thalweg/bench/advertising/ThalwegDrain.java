package io.thalweg.bench.advertising;

import io.thalweg.formats.lookup.LookupSources;
import io.thalweg.jobs.compute.ComputeJob;
import io.thalweg.model.Definitions;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.view.FeatureView;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Thalweg: the compute job of {@code thalweg run} for a definition like {@code examples/campaign_views.yaml}. */
final class ThalwegDrain {
    private static final String DEFINITION = """
            apiVersion: thalweg/v1
            kind: FeatureView
            name: campaign_views
            source:
              topic: %s
              start: earliest
              format: json
              event_time: {field: event_time, unit: ms}
              max_out_of_orderness: 10s
            lookup:
              - {table: {file: "%s", max_rows: %d}, key: ad_id, fields: [campaign_id], on_miss: drop}
            where: {event_type: [view]}
            entities: [{name: campaign, field: campaign_id}]
            measures: [{name: views, count: all}]
            windows: {sizes: [10s], every: 10s}
            sink: {topic: %s, format: json, delivery: at_least_once}
            """;

    private ThalwegDrain() {}

    /** Returns the view that counts. */
    static FeatureView view(String events, Path ads, int count, String rows) {
        return Definitions.parse(DEFINITION.formatted(events, ads, count, rows), "campaign_views.yaml")
                .views()
                .get(0);
    }

    static void build(
            StreamExecutionEnvironment environment, String bootstrap, String events, Path ads, int count, String rows) {
        new ComputeJob(
                        rows,
                        rows,
                        List.of(view(events, ads, count, rows)),
                        new ComputeJob.Topics(Map.of("default", Map.of("bootstrap.servers", bootstrap))),
                        LookupSources.files(),
                        null,
                        ClockSpec.system())
                .addTo(environment);
    }
}
