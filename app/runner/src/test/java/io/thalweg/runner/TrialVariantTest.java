package io.thalweg.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.model.deployment.DeploymentConfig.Load;
import io.thalweg.model.yaml.DurationText;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the variants of a trial, and which part of a topic is its sample. */
class TrialVariantTest {
    private static final long GB = 1L << 30;

    private static TrialSettings settings(Map<String, String> env) {
        return TrialSettings.of(1, DurationText.parse("10s"), Load.DEFAULTS, env);
    }

    private static List<String> names(List<String> vary, boolean loads) {
        return TrialVariant.of(settings(Map.of()), vary, loads, 4, 8 * GB).stream()
                .map(TrialVariant::name)
                .toList();
    }

    @Test
    void of_nothingAsked_variesWhatUsuallyMatters() {
        assertThat(names(List.of(), false))
                .containsExactly(
                        "baseline",
                        "parallelism 2",
                        "gc g1",
                        "gc serial",
                        "heap 1024m",
                        "heap 4096m",
                        "checkpoints 1s",
                        "checkpoints 1m");
        assertThat(names(List.of(), true))
                .contains("batch_rows 1000", "batch_rows 20000", "in_flight 1", "in_flight 16");
    }

    @Test
    void of_asked_hasTheBaselineFirstAndOnce() {
        assertThat(names(List.of("gc=parallel,z", "parallelism=3"), false))
                .containsExactly("baseline", "gc z", "parallelism 3");
    }

    @Test
    void of_environment_isThatOfTheLauncher() {
        TrialSettings settings =
                settings(Map.of("THALWEG_GC", "-XX:+UseG1GC", "THALWEG_JAVA_OPTS", "-Xmx1g -Dx=y -Xmx512m"));
        assertThat(settings.gc()).isEqualTo("g1");
        assertThat(settings.heap()).isEqualTo("512m");
        assertThat(settings.heapBytes()).isEqualTo(GB / 2);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            gc=cms           | --vary gc must be parallel, g1, serial or z, was 'cms'
            heap=big         | --vary heap must be a size such as 512m or 4g, was 'big'
            parallelism=0    | --vary parallelism must be 1 to 256, was '0'
            checkpoints=0s   | --vary checkpoints must be a duration of at least 1ms, such as 10s, was '0s'
            heat=1g          | --vary: there is no key 'heat'; there are: parallelism, gc, heap, checkpoints, batch_rows, in_flight, target_latency
            gc               | --vary must be KEY=VALUE,…, was 'gc'
            gc=parallel      | --vary names only what the baseline has
            batch_rows=10    | --vary batch_rows goes with --publish only: no other job writes in batches of load
            """)
    void of_wrongVary_namesKeyRuleAndValue(String vary, String message) {
        assertThatThrownBy(() -> names(List.of(vary), false))
                .isInstanceOf(UserError.class)
                .hasMessage(message);
    }

    @Test
    void settings_writtenAndRead_areTheSame() {
        TrialSettings settings = settings(Map.of())
                .with(TrialKey.IN_FLIGHT, "9")
                .with(TrialKey.HEAP, "3g")
                .with(TrialKey.TARGET_LATENCY, "1s");
        Properties task = new Properties();
        settings.writeTo(task);
        assertThat(TrialSettings.readFrom(task, Load.DEFAULTS)).isEqualTo(settings);
    }

    @Test
    void newest_longTopic_takesOfEachPartitionInProportion() {
        TopicPartition one = new TopicPartition("rides", 0);
        TopicPartition other = new TopicPartition("rides", 1);
        Map<TopicPartition, Long> begins = Map.of(one, 100L, other, 0L);
        Map<TopicPartition, Long> ends = Map.of(one, 1_000L, other, 100L);
        assertThat(TrialSample.newest(begins, ends, 100))
                .containsExactlyInAnyOrderEntriesOf(Map.of(one, 910L, other, 90L));
        assertThat(TrialSample.newest(begins, ends, 5_000)).isEqualTo(begins);
    }
}
