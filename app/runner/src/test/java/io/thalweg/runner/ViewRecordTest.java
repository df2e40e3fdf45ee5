package io.thalweg.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.jobs.StatePath;
import io.thalweg.jobs.compute.SourceNames;
import io.thalweg.model.Definitions;
import io.thalweg.model.view.FeatureView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ViewRecordTest {
    private static final String VIEW = """
            apiVersion: thalweg/v1
            kind: FeatureView
            name: demand
            source: {topic: events, max_out_of_orderness: 10s}
            where: {event_type: [request]}
            entities: [{name: cell, h3: {cell: c, resolution: 9}}]
            measure: {count: all}
            rings: [0]
            windows: {sizes: [1m], every: 1m}
            """;

    @TempDir
    Path dir;

    private CheckpointFolder checkpoints;
    private StatePath checkpoint;

    private static FeatureView view(String yaml) {
        return Definitions.parse(yaml, "views.yaml").views().get(0);
    }

    @BeforeEach
    void run() throws IOException {
        checkpoints = CheckpointFolderTest.folder(dir);
        checkpoint = run("first", List.of(view(VIEW)), "chk-3");
    }

    private StatePath run(String id, List<FeatureView> views, String checkpoint) throws IOException {
        RunFolder run = checkpoints.newRun(names(views), views, SourceNames.of(views, Map.of()), id, null);
        return StatePath.of(
                Files.createDirectories(run.path().local().resolve("job").resolve(checkpoint)));
    }

    @Test
    void check_sameView_findsNothing() {
        assertThat(checkpoints.check(checkpoint, List.of(view(VIEW)))).isEmpty();
        assertThat(checkpoints.check(null, List.of(view(VIEW)))).isEmpty();
    }

    @Test
    void check_otherMeaning_isRefusedWithTheRemedy() {
        FeatureView changed = view(VIEW.replace("[request]", "[app_open]"));
        assertThatThrownBy(() -> checkpoints.check(checkpoint, List.of(changed)))
                .isInstanceOf(UserError.class)
                .hasMessageContaining("view demand: the kept state has another meaning: where was")
                .hasMessageContaining("--resume none");
    }

    @Test
    void check_otherOutOfOrderness_isReported() {
        FeatureView changed = view(VIEW.replace("max_out_of_orderness: 10s", "max_out_of_orderness: 5s"));
        assertThat(checkpoints.check(checkpoint, List.of(changed)))
                .containsExactly(
                        "view demand: source.max_out_of_orderness was 10s, is 5s: from here on it decides which"
                                + " events are late");
    }

    @Test
    void sources_secondViewOfTheTopicWithOtherSettings_leavesTheFirstItsName() {
        FeatureView first = view(VIEW);
        FeatureView other = view(VIEW.replace("name: demand", "name: another").replace("10s", "30s"));
        Map<String, String> recorded = checkpoints.sources(checkpoint, List.of(other, first));

        assertThat(SourceNames.of(List.of(other, first), recorded))
                .containsEntry("demand", "source/default/events")
                .containsEntry("another", "source/default/events#another");
        assertThat(checkpoints.check(checkpoint, List.of(other, first))).isEmpty();
    }

    @Test
    void check_viewsThatSharedAReadAndDifferNow_areRefusedWithTheRemedy() throws IOException {
        FeatureView first = view(VIEW);
        FeatureView twin = view(VIEW.replace("name: demand", "name: twin"));
        StatePath shared = run("second", List.of(first, twin), "chk-1");
        FeatureView changed = view(VIEW.replace("name: demand", "name: twin").replace("10s", "30s"));

        assertThat(checkpoints.check(shared, List.of(first, twin))).isEmpty();
        assertThatThrownBy(() -> checkpoints.check(shared, List.of(first, changed)))
                .isInstanceOf(UserError.class)
                .hasMessageContaining("view twin shared the read of its topic");
    }

    @Test
    void newRun_table_isResumedWithoutARecordOfItsRead() throws IOException {
        FeatureView table =
                Definitions.parse("""
                apiVersion: thalweg/v1
                kind: Materialization
                name: drivers
                source: {csv: drivers}
                entities: [{name: driver, field: driver_id}]
                features: [{name: trips, type: int64}]
                """, "drivers.yaml").materializations().get(0).view();

        Path run = checkpoints
                .newRun(names(List.of(table)), List.of(table), Map.of(), "load", null)
                .path()
                .local();

        assertThat(Files.readAllLines(run.resolve("run.txt"))).startsWith("", "drivers");
        assertThat(run.resolve("view-drivers.txt")).doesNotExist();
    }

    @Test
    void sources_viewWithAReadOfItsOwnThatEqualsAnotherNow_keepsIt() throws IOException {
        FeatureView first = view(VIEW);
        FeatureView other = view(VIEW.replace("name: demand", "name: another").replace("10s", "30s"));
        StatePath apart = run("second", List.of(first, other), "chk-1");
        List<FeatureView> equal = List.of(first, view(VIEW.replace("name: demand", "name: another")));

        assertThat(checkpoints.check(apart, equal))
                .hasSize(1)
                .first()
                .asString()
                .contains("max_out_of_orderness");
        assertThat(SourceNames.of(equal, checkpoints.sources(apart, equal)))
                .containsEntry("demand", "source/default/events")
                .containsEntry("another", "source/default/events#another");
    }

    @Test
    void sources_viewThatIsAdded_readsFromItsOwnStartUnlessThatIsTheEnd() throws IOException {
        FeatureView first = view(VIEW);
        for (String start : List.of("earliest", "lookback", "2026-01-01T00:00:00Z")) {
            List<FeatureView> views = List.of(
                    view(VIEW.replace("name: demand", "name: another")
                            .replace("topic: events", "topic: events, start: " + start)),
                    first);
            assertThat(SourceNames.of(views, checkpoints.sources(checkpoint, views)))
                    .containsEntry("demand", "source/default/events")
                    .containsEntry("another", "source/default/events#another");
        }

        String latest = VIEW.replace("topic: events", "topic: events, start: latest");
        StatePath before = run("second", List.of(view(latest)), "chk-1");
        List<FeatureView> views = List.of(view(latest.replace("name: demand", "name: another")), view(latest));
        assertThat(SourceNames.of(views, checkpoints.sources(before, views)))
                .containsEntry("demand", "source/default/events")
                .containsEntry("another", "source/default/events");
    }

    /** The checkpoint has positions under the name of the read whose view is gone. */
    @Test
    void sources_viewThatReplacesTheOnlyOneOfATopic_doesNotTakeItsPositions() throws IOException {
        FeatureView gone = view(VIEW.replace("topic: events", "topic: others").replace("name: demand", "name: gone"));
        StatePath before = run("second", List.of(view(VIEW), gone), "chk-1");
        FeatureView replacing =
                view(VIEW.replace("topic: events", "topic: others").replace("name: demand", "name: replacing"));
        List<FeatureView> views = List.of(view(VIEW), replacing);

        assertThat(SourceNames.of(views, checkpoints.sources(before, views)))
                .containsEntry("replacing", "source/default/others#replacing");
    }

    @Test
    void check_topicsInAnotherOrder_keepTheRead() throws IOException {
        FeatureView listed = view(VIEW.replace("topic: events", "topic: [a, b]"));
        FeatureView reordered = view(VIEW.replace("topic: events", "topic: [b, a]"));
        StatePath before = run("second", List.of(listed), "chk-1");

        assertThat(checkpoints.check(before, List.of(reordered))).isEmpty();
        assertThat(SourceNames.of(List.of(reordered), checkpoints.sources(before, List.of(reordered))))
                .containsEntry("demand", "source/default/a,b");
    }

    @Test
    void check_otherTopic_namesTheChange() {
        FeatureView changed = view(VIEW.replace("topic: events", "topic: events2"));
        assertThatThrownBy(() -> checkpoints.check(checkpoint, List.of(changed)))
                .isInstanceOf(UserError.class)
                .hasMessageContaining("topics was [\"events\"], is [\"events2\"]");
    }

    @Test
    void check_runOfAnEarlierVersion_isLeftToTheJob() throws IOException {
        Files.delete(dir.resolve("test/first/view-demand.txt"));
        FeatureView changed = view(VIEW.replace("[request]", "[app_open]"));
        assertThat(checkpoints.check(checkpoint, List.of(changed))).isEmpty();
    }

    private static List<String> names(List<FeatureView> views) {
        return views.stream().map(FeatureView::qualifiedName).toList();
    }
}
