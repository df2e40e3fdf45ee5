package io.thalweg.bench.demand;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.thalweg.model.Definitions;
import io.thalweg.model.FeatureView;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SweepTest {
    private static final DemandRun BASE = new DemandRun(Load.of("medium"), 1, 7, false, null, 0);

    private static Map<String, DemandRun> sweep(String... namesAndValues) {
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            values.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return Sweep.of(BASE, values);
    }

    @Test
    void of_nothing_isTheRunAsItIs() {
        assertThat(sweep()).containsExactly(Map.entry("medium", BASE));
    }

    @Test
    void of_twoDimensions_hasAllCombinations() {
        Map<String, DemandRun> runs = sweep("speed", "2,8", "delivery", "at_least_once,exactly_once");

        assertThat(runs)
                .containsOnlyKeys(
                        "medium, speed 2, delivery at_least_once",
                        "medium, speed 2, delivery exactly_once",
                        "medium, speed 8, delivery at_least_once",
                        "medium, speed 8, delivery exactly_once");
        DemandRun last = Objects.requireNonNull(runs.get("medium, speed 8, delivery exactly_once"));
        assertThat(last.load().speed()).isEqualTo(8);
        assertThat(last.load().minutes()).as("90 s at that speed").isEqualTo(12);
        assertThat(last.setup()).isEqualTo(Setup.usual(1, 10).with("delivery", "exactly_once"));
        assertThat(last.seed()).isEqualTo(7);
    }

    @Test
    void of_aJdk_isCalledByItsFolder() {
        Map<String, DemandRun> runs = sweep("java", "/usr/lib/jvm/jdk-25", "collector", "z");

        assertThat(runs)
                .hasEntrySatisfying(
                        "medium, java jdk-25, collector z",
                        run -> assertThat(run.setup().environment())
                                .isEqualTo(Map.of("THALWEG_GC", "-XX:+UseZGC", "JAVA_HOME", "/usr/lib/jvm/jdk-25")));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            color       | red       | there is no dimension 'color'; there are speed, parallelism, delivery, views
            speed       | fast      | speed must be a number from 0.1 to 1000, was 'fast'
            speed       | 0         | speed must be a number from 0.1 to 1000, was '0'
            parallelism | two       | parallelism must be an integer, was 'two'
            rings       | 10        | rings must be from 1 to 9, was 10
            windows     | 0         | windows must be from 1 to 6, was 0
            delivery    | once      | delivery must be at_least_once or exactly_once, was 'once'
            collector   | shenandoah | collector must be parallel or g1 or z, was 'shenandoah'
            checkpoints | 1s        | checkpoints must be an integer, was '1s'
            views       | 1,1       | --vary views needs different values, such as 1,2, had '1,1'
            views       | 1,        | --vary views needs different values, such as 1,2, had '1,'
            """)
    void of_whatNoDimensionHas_isRefused(String dimension, String values, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> sweep(dimension, values))
                .withMessageStartingWith(message);
    }

    @Test
    void definitions_ofASetup_haveItsViewsRingsAndWindows() throws IOException {
        Setup setup = Setup.usual(1, 10)
                .with("views", "3")
                .with("rings", "2")
                .with("windows", "1")
                .with("delivery", "exactly_once");

        List<FeatureView> views =
                Definitions.parse(TestBed.definitions(setup), "demand.yaml").views();

        assertThat(views).extracting(FeatureView::name).containsExactly("demand", "demand_2", "demand_3");
        assertThat(views)
                .extracting(view -> Objects.requireNonNull(view.sink()).topic())
                .containsExactlyElementsOf(setup.rowTopics())
                .containsExactly("demand-features", "demand-features-2", "demand-features-3");
        assertThat(views).allSatisfy(view -> assertThat(view.featureNames()).hasSize(2));
    }
}
