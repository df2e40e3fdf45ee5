package io.thalweg.runner;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.model.deployment.DeploymentConfig.Load;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.runner.TrialTable.Verdict;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests when a variant of a trial is better than its baseline, and when it only seems to be. */
class TrialTableTest {
    private static final TrialSettings SETTINGS =
            TrialSettings.of(1, DurationText.parse("10s"), Load.DEFAULTS, Map.of());
    private static final TrialVariant BASELINE = new TrialVariant(null, SETTINGS);
    private static final TrialVariant G1 = new TrialVariant(TrialKey.GC, SETTINGS.with(TrialKey.GC, "g1"));
    private static final TrialVariant TWO =
            new TrialVariant(TrialKey.PARALLELISM, SETTINGS.with(TrialKey.PARALLELISM, "2"));

    private final TrialTable table = new TrialTable(List.of(BASELINE, G1, TWO));

    /** A run of a million events. */
    private static TrialResult run(double seconds, double cpuSeconds) {
        return new TrialResult(1_000_000, 500, seconds, cpuSeconds, 0, 0, 0);
    }

    private void add(TrialVariant variant, TrialResult... runs) {
        for (TrialResult run : runs) {
            table.add(variant, run);
        }
    }

    @Test
    void verdict_rangesOverlap_isWithinTheNoise() {
        add(BASELINE, run(10, 10), run(8, 10), run(9, 10));
        add(G1, run(7, 10), run(7.5, 10), run(8.1, 10)); // 20 % faster by the median
        assertThat(table.verdict(G1)).isEqualTo(Verdict.SAME);
        assertThat(table.better()).isEmpty();
    }

    @Test
    void verdict_apartButHardlyAny_isWithinTheNoise() {
        add(BASELINE, run(10, 10), run(10.1, 10));
        add(G1, run(9.8, 10), run(9.9, 10));
        assertThat(table.verdict(G1)).isEqualTo(Verdict.SAME);
    }

    @Test
    void better_severalAreFaster_theFastestFirst() {
        add(BASELINE, run(10, 10), run(10.2, 10));
        add(G1, run(8, 10), run(8.1, 10));
        add(TWO, run(5, 10), run(5.2, 10));
        assertThat(table.better()).containsExactly(TWO, G1);
        assertThat(table.gain(TWO)).isEqualTo("+98 % events/s");
    }

    @Test
    void verdict_sameSpeedForLessCpu_isBetter() {
        add(BASELINE, run(10, 10), run(10.2, 10.5));
        add(G1, run(10.1, 7), run(10.3, 7.1));
        add(TWO, run(12, 5), run(12.1, 5));
        assertThat(table.verdict(G1)).isEqualTo(Verdict.LESS_CPU);
        assertThat(table.gain(G1)).isEqualTo("-31 % CPU at the same speed");
        assertThat(table.verdict(TWO)).isEqualTo(Verdict.SLOWER);
        assertThat(table.better()).containsExactly(G1);
    }

    @Test
    void verdict_otherRows_isNeverBetter() {
        add(BASELINE, run(10, 10), run(10, 10));
        add(G1, new TrialResult(1_000_000, 499, 1, 1, 0, 0, 0), run(1, 1));
        assertThat(table.verdict(G1)).isEqualTo(Verdict.OTHER_ROWS);
        assertThat(table.better()).isEmpty();
    }

    @Test
    void print_aVariantFailed_showsWhyAndComparesTheOthers() {
        add(BASELINE, run(10, 10), new TrialResult(1_000_000, 500, 10.4, 10, 0.52, 2, 40));
        add(TWO, run(5, 10), run(5, 10));
        table.fail(G1, "out of memory");
        StringWriter text = new StringWriter();
        table.print(new PrintWriter(text, true));
        assertThat(text.toString().lines().map(line -> line.replaceAll(" +", " ")))
                .containsExactly(
                        "variant events/s least most against baseline CPU s/M events GC checkpoints longest rows",
                        "baseline 98,077 96,154 100,000 10.00 3 % 1 40 ms 500",
                        "gc g1 - - - failed - - - - -",
                        "parallelism 2 200,000 200,000 200,000 +104 % 10.00 0 % 0 - 500",
                        " gc g1: out of memory");
    }
}
