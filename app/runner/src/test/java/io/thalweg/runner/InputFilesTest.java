package io.thalweg.runner;

import static org.assertj.core.api.Assertions.assertThat;

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

@SuppressWarnings("NullAway.Init")
class InputFilesTest {
    @TempDir
    Path folder;

    private Map<String, List<String>> files;
    private FeatureView demand;

    private static FeatureView view(Path file, String name, String outOfOrderness) throws IOException {
        String yaml = Files.readString(file)
                .replace("name: demand", "name: " + name)
                .replace("max_out_of_orderness: 10s", "max_out_of_orderness: " + outOfOrderness);
        return Definitions.parse(yaml, name + ".yaml").views().get(0);
    }

    @BeforeEach
    void writeInput() throws IOException {
        Path events = Files.writeString(folder.resolve("events.jsonl"), "0123456789");
        demand = view(SmallViews.demand(folder), "demand", "10s");
        files = InputFiles.of(List.of(events.toString()), List.of(demand));
    }

    @Test
    void bytes_viewsThatShareARead_countTheFileOnce() throws IOException {
        FeatureView twin = view(SmallViews.demand(folder), "twin", "10s");
        assertThat(InputFiles.bytes(files, List.of(demand, twin))).isEqualTo(10);
    }

    @Test
    void bytes_viewsWithOtherSettings_countTheFileForEachRead() throws IOException {
        FeatureView patient = view(SmallViews.demand(folder), "patient", "1h");
        assertThat(InputFiles.bytes(files, List.of(demand, patient))).isEqualTo(20);
    }

    @Test
    void bytes_standardInput_isUnknown() {
        assertThat(InputFiles.bytes(Map.of("rider-events", List.of("-")), List.of(demand)))
                .isZero();
    }
}
