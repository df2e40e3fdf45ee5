package io.thalweg.server.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.qalm.Call;
import io.thalweg.qalm.Outcome;
import io.thalweg.qalm.QalmConfig;
import io.thalweg.qalm.Refusal;
import io.thalweg.qalm.live.LiveQalm;
import io.thalweg.qalm.live.Signal;
import io.thalweg.qalm.yaml.RulesYaml;
import io.thalweg.testing.Await;
import io.thalweg.testing.Checkout;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that load management exports, the reference explains and the dashboard draws the same figures. */
class QalmMetricsTest {
    private static final Pattern EXPORTED = Pattern.compile("# TYPE (qos_[a-z_]+) ");
    private static final Pattern NAMED = Pattern.compile("\\b(qos_[a-z_]+?)(?:_bucket)?\\b");

    @TempDir
    Path folder;

    private static Set<String> names(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult found) -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> names(String... file) throws IOException {
        return names(NAMED, Files.readString(Checkout.file(String.join("/", file))));
    }

    private static final class Worked extends Call {
        Worked(long now) {
            super("caller", null, false, now, NO_DEADLINE, 0, 1);
        }

        @Override
        protected void admitted() {
            release(Outcome.SUCCESS);
        }

        @Override
        protected void refused(Refusal reason) {
            throw new AssertionError("refused in calm times: " + reason);
        }
    }

    /** Returns everything that can be exported: a call, a signal that was polled, rules. */
    private String exposed() {
        Metrics metrics = new Metrics();
        QalmMetrics qos = new QalmMetrics(metrics);
        try (LiveQalm live = LiveQalm.start(new QalmConfig(4, 2), RulesYaml.file(null, folder), qos)) {
            metrics.collect(now -> qos.collect(live, now));
            live.watch(Signal.HEAP);
            live.qalm().lane("endpoint").submit(new Worked(live.qalm().nanoTime()));
            Await.until("a tick", () -> !live.qalm().pressures().isEmpty());
            return new String(metrics.expose(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void exported_each_isExplainedAndDrawnAndNothingElseIs() throws IOException {
        Set<String> exported = names(EXPORTED, exposed());
        // A gauge without a value is left out; a capacity is known only after an overload.
        exported.add("qos_capacity_rps");
        assertThat(exported).hasSizeGreaterThan(25);
        assertThat(names("docs", "reference", "metrics.md")).isEqualTo(exported);
        assertThat(names("deploy", "grafana", "load-management.json")).isEqualTo(exported);
    }
}
