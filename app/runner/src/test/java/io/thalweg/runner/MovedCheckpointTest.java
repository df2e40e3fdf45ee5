package io.thalweg.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.jobs.SavedState;
import io.thalweg.jobs.StatePath;
import io.thalweg.jobs.compute.SourceNames;
import io.thalweg.model.Definitions;
import io.thalweg.model.view.FeatureView;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checkpoints outside the folder of their run, which {@code --resume PATH} may name. */
class MovedCheckpointTest {
    @TempDir
    Path dir;

    private CheckpointFolder checkpoints;

    private static FeatureView view(String name, String topics, String outOfOrderness) {
        return Definitions.parse("""
                        apiVersion: thalweg/v1
                        kind: FeatureView
                        name: %s
                        source: {topic: %s, max_out_of_orderness: %s}
                        entities: [{name: cell, h3: {cell: c, resolution: 9}}]
                        measure: {count: all}
                        rings: [0]
                        windows: {sizes: [1m], every: 1m}
                        """.formatted(name, topics, outOfOrderness), "views.yaml")
                .views()
                .get(0);
    }

    private static final FeatureView DEMAND = view("demand", "events", "10s");
    private static final FeatureView ANOTHER = view("another", "events", "30s");

    @BeforeEach
    void open() {
        checkpoints = CheckpointFolderTest.folder(dir.resolve("checkpoints"));
    }

    /** A checkpoint whose operators have these names. */
    private StatePath checkpoint(String... uids) throws IOException {
        List<OperatorState> operators = Stream.of(uids)
                .map(uid -> new OperatorState(null, uid, new OperatorID(), 1, 128))
                .toList();
        Path checkpoint = Files.createDirectories(dir.resolve("moved/chk-7"));
        try (DataOutputStream out =
                new DataOutputStream(Files.newOutputStream(checkpoint.resolve(SavedState.METADATA)))) {
            Checkpoints.storeCheckpointMetadata(new CheckpointMetadata(7, operators, List.of()), out);
        }
        return StatePath.of(checkpoint);
    }

    @Test
    void sources_oneReadOfTheTopic_staysWithItsViewWhateverTheOrder() throws IOException {
        StatePath moved = checkpoint("source/default/events", "demand/accumulate", "demand/assemble");

        for (List<FeatureView> views : List.of(List.of(DEMAND, ANOTHER), List.of(ANOTHER, DEMAND))) {
            Map<String, String> recorded = checkpoints.sources(moved, views);
            assertThat(SourceNames.of(views, recorded))
                    .containsEntry("demand", "source/default/events")
                    .containsEntry("another", "source/default/events#another");
            assertThat(checkpoints.check(moved, views)).isEmpty();
        }
    }

    @Test
    void sources_topicsInAnotherOrder_findsTheRead() throws IOException {
        StatePath moved = checkpoint("source/default/a,b", "demand/accumulate");
        FeatureView reordered = view("demand", "[b, a]", "10s");

        assertThat(checkpoints.sources(moved, List.of(reordered))).containsEntry("demand", "source/default/a,b");
    }

    @Test
    void sources_viewsThatSharedTheReadAndDifferNow_areRefused() throws IOException {
        StatePath moved = checkpoint("source/default/events", "demand/accumulate", "another/accumulate");

        assertThatThrownBy(() -> checkpoints.check(moved, List.of(DEMAND, ANOTHER)))
                .isInstanceOf(UserError.class)
                .hasMessageContaining("view another shared the read of its topic");
    }

    @Test
    void sources_twoReadsOfTheTopic_areRefusedUntilTheRecordOfTheRunIsBesideIt() throws IOException {
        StatePath moved = checkpoint(
                "source/default/events", "source/default/events#another", "demand/accumulate", "another/accumulate");
        List<FeatureView> views = List.of(ANOTHER, DEMAND);
        assertThatThrownBy(() -> checkpoints.check(moved, views))
                .isInstanceOf(UserError.class)
                .hasMessageContaining("2 reads of events")
                .extracting(e -> ((UserError) e).hint())
                .asString()
                .contains("run.txt");

        List<FeatureView> asBefore = List.of(DEMAND, ANOTHER);
        Path run = checkpoints
                .newRun(
                        asBefore.stream().map(FeatureView::qualifiedName).toList(),
                        asBefore,
                        SourceNames.of(asBefore, Map.of()),
                        "first",
                        null)
                .path()
                .local();
        for (String file : List.of("run.txt", "view-demand.txt", "view-another.txt")) {
            Files.copy(run.resolve(file), dir.resolve("moved").resolve(file));
        }

        assertThat(checkpoints.check(moved, views)).isEmpty();
        assertThat(SourceNames.of(views, checkpoints.sources(moved, views)))
                .containsEntry("demand", "source/default/events")
                .containsEntry("another", "source/default/events#another");
    }
}
