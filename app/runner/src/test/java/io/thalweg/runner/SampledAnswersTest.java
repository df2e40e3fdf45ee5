package io.thalweg.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.thalweg.model.deployment.ServingLogConfig;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.ReadStatus;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.OfflineSpec;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.server.read.ReadAnswer;
import io.thalweg.server.telemetry.Metrics;
import io.thalweg.tables.TableColumns;
import io.thalweg.testing.Exposition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SampledAnswersTest {
    private static final FeatureView VIEW =
            LiveRunTest.VIEW.withOffline(OfflineSpec.standard(LiveRunTest.VIEW.qualifiedName()));
    private static final long READ = 1_796_000_000_000L;
    private static final String ANSWERS = "thalweg_serving_log_answers_total";
    private static final String RATE = "thalweg_serving_log_lost_total{reason=\"rate\"}";
    private static final String QUEUE = "thalweg_serving_log_lost_total{reason=\"queue\"}";
    private static final String FILE = "thalweg_serving_log_lost_total{reason=\"file\"}";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final Metrics metrics = new Metrics();

    private ServingLogConfig config(double sample, int maxPerSecond) {
        return new ServingLogConfig(
                folder.resolve("served"), sample, maxPerSecond, List.of(), DurationText.parse("7d"), null);
    }

    private static ReadAnswer answer(int cells) {
        List<ReadAnswer.Row> rows = new ArrayList<>();
        List<@Nullable Object> zeros = Collections.nCopies(VIEW.featureNames().size(), 0.0);
        for (int i = 0; i < cells; i++) {
            Map<String, Object> key = new LinkedHashMap<>();
            VIEW.entities().forEach(entity -> key.put(entity.name(), "892a1008003ffff"));
            key.replace(VIEW.entities().get(0).name(), Long.toHexString(0x892a1008003ffffL + ((long) i << 20)));
            rows.add(new ReadAnswer.Row(
                    key, ReadStatus.ZERO, Finality.FINAL, OptionalLong.of(READ), OptionalLong.of(0), zeros));
        }
        return new ReadAnswer(VIEW.qualifiedName(), OptionalLong.of(READ), VIEW.featureNames(), rows);
    }

    private double value(String series) {
        return Exposition.of(metrics.expose()).value(series);
    }

    private long rowsInFiles() throws IOException {
        long rows = 0;
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".parquet")).toList()) {
                try (TableColumns columns = TableColumns.open(file)) {
                    for (var batch = columns.next(); batch != null; batch = columns.next()) {
                        rows += batch.rows();
                    }
                }
            }
        }
        return rows;
    }

    @Test
    void close_everythingSampled_allAnswersAreInFiles() throws IOException {
        SampledAnswers log = SampledAnswers.start(config(1, 1_000_000), List.of(VIEW), metrics);
        log.offer(VIEW, READ, answer(500));
        log.close();
        assertThat(rowsInFiles()).isEqualTo(500);
        assertThat(value(ANSWERS)).isEqualTo(500);
    }

    /** Two servers keep the answers of the same keys; another minute has others. */
    @Test
    void offer_share_isThatOfKeysAndTheSameForAllServers() throws IOException {
        double sample = 0.1;
        ReadAnswer answer = answer(5_000);
        SampledAnswers log = SampledAnswers.start(config(sample, 1_000_000), List.of(VIEW), metrics);
        log.offer(VIEW, READ, answer);
        log.offer(VIEW, READ + 1, answer);
        log.close();
        double twice = value(ANSWERS);
        assertThat(twice / 10_000).isCloseTo(sample, within(0.02));
        assertThat(twice % 2).isZero();
        assertThat(rowsInFiles()).isEqualTo((long) twice);
    }

    @Test
    void offer_moreThanTheRate_isCountedAndLost() throws IOException {
        SampledAnswers log = SampledAnswers.start(config(1, 10), List.of(VIEW), metrics);
        log.offer(VIEW, READ, answer(1_000));
        log.close();
        // The offer may span two seconds or more on a busy machine.
        assertThat(value(RATE)).isBetween(500.0, 990.0);
        assertThat(rowsInFiles() + value(RATE)).isEqualTo(1_000);
    }

    @Test
    void close_folderIsGone_answersAreCountedAsLost() throws IOException {
        SampledAnswers log = SampledAnswers.start(config(1, 1_000_000), List.of(VIEW), metrics);
        Files.writeString(folder.resolve("served").resolve(VIEW.qualifiedName()), "a file where a folder should be");
        log.offer(VIEW, READ, answer(3));
        log.close();
        assertThat(value(FILE)).isEqualTo(3);
        assertThat(value(QUEUE)).isZero();
        assertThat(value(ANSWERS)).isZero();
    }

    @Test
    void start_noViewWithALog_isRefused() {
        assertThatThrownBy(() -> SampledAnswers.start(config(1, 1), List.of(LiveRunTest.VIEW), metrics))
                .isInstanceOf(UserError.class)
                .hasMessageContaining("none of the served views has it");
        ServingLogConfig other = new ServingLogConfig(folder, 1, 1, List.of("demnd"), DurationText.parse("7d"), null);
        assertThatThrownBy(() -> SampledAnswers.start(other, List.of(VIEW), metrics))
                .isInstanceOf(UserError.class)
                .hasMessageContaining("'demnd' is not a served view with offline");
    }
}
