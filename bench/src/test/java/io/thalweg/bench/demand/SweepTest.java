package io.thalweg.bench.demand;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.thalweg.model.Definitions;
import io.thalweg.model.view.FeatureView;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SweepTest {
    private static final DemandRun BASE = new DemandRun(Load.of("medium"), 1, 7, false, null, 0);

    private static Map<String, DemandRun> sweep(String... vary) {
        return DemandRun.sweep(BASE, List.of(vary));
    }

    @Test
    void of_nothing_isTheRunAsItIs() {
        assertThat(sweep()).containsExactly(Map.entry("medium", BASE));
    }

    @Test
    void of_twoDimensions_hasAllCombinations() {
        Map<String, DemandRun> runs = sweep("speed=2,8", "delivery=at_least_once,exactly_once");

        assertThat(runs)
                .containsOnlyKeys(
                        "medium, speed 2, delivery at_least_once",
                        "medium, speed 2, delivery exactly_once",
                        "medium, speed 8, delivery at_least_once",
                        "medium, speed 8, delivery exactly_once");
        DemandRun last = Objects.requireNonNull(runs.get("medium, speed 8, delivery exactly_once"));
        assertThat(last.load().speed()).isEqualTo(8);
        assertThat(last.load().minutes()).as("eight window ends take 60 s").isEqualTo(8);
        assertThat(last.setup()).isEqualTo(Setup.usual(1, 10).with("delivery", "exactly_once"));
        assertThat(last.seed()).isEqualTo(7);
    }

    @Test
    void of_aJdk_isCalledByItsFolder() {
        Path home = Path.of(System.getProperty("java.home"));
        String name = "medium, java %s, gc z".formatted(home.getFileName());

        assertThat(sweep("java=" + home + "/", "gc=z"))
                .hasEntrySatisfying(
                        name,
                        run -> assertThat(run.setup().environment())
                                .isEqualTo(Map.of("THALWEG_GC", "-XX:+UseZGC", "JAVA_HOME", home + "/")));
    }

    @Test
    void environment_ofAnUnvariedRun_isThatOfTheCaller() {
        assertThat(BASE.setup().environment()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            color=red         | there is no dimension 'color'; there are speed, parallelism, delivery, views
            speed=fast        | speed must be a number from 0.1 to 1000, was 'fast'
            speed=0           | speed must be a number from 0.1 to 1000, was '0'
            parallelism=two   | parallelism must be an integer, was 'two'
            rings=10          | rings must be from 1 to 9, was 10
            windows=0         | windows must be from 1 to 6, was 0
            delivery=once     | delivery must be at_least_once or exactly_once, was 'once'
            gc=shenandoah     | gc must be parallel or g1 or z, was 'shenandoah'
            checkpoints=1s    | checkpoints must be an integer, was '1s'
            checkpoints=121   | checkpoints must be from 1 to 120, was 121
            java=jdk-25       | java must be the absolute path of a JDK, was 'jdk-25'
            views=1,1         | --vary views=1,1 has the value 1 twice
            views=1,          | views must be an integer, was ''
            views             | --vary must be DIMENSION=VALUE,… with each dimension once, such as speed=4,8, was 'views'
            """)
    void of_whatNoDimensionHas_isRefused(String vary, String message) {
        assertThatIllegalArgumentException().isThrownBy(() -> sweep(vary)).withMessageStartingWith(message);
    }

    @Test
    void of_aDimensionTwice_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> sweep("speed=4", "speed=8"))
                .withMessageContaining("with each dimension once");
    }

    @Test
    void settleMs_isFifteenSecondsAndAWindowEndAtLeast() {
        assertThat(Load.of("medium").settleMs()).isEqualTo(90_000);
        assertThat(Load.of("medium").withSpeed("4").settleMs()).isEqualTo(90_000);
        assertThat(Load.of("medium").withSpeed("12").settleMs()).isEqualTo(210_000);
        assertThat(Load.of("small").settleMs()).isEqualTo(30_000);
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
