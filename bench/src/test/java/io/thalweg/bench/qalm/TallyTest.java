package io.thalweg.bench.qalm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.thalweg.bench.qalm.Measured.Span;
import io.thalweg.bench.qalm.Tally.End;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.xml.parsers.DocumentBuilderFactory;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** From the calls to what is said about them. */
class TallyTest {
    private final Experiment experiment = Experiment.of("E2", 0.1, 10);

    /** Of {@code document} 200 calls in time, of {@code document-staging} every other one refused. */
    private Measured measured(String system, boolean losesOne) {
        Tally all = new Tally(experiment);
        Tally document = new Tally(experiment);
        Tally staging = new Tally(experiment);
        for (int i = 0; i < 200; i++) {
            double second = i / 20.0;
            End end = losesOne && i == 100 ? End.LATE : End.OK;
            document.ended(second, end, 1_000L * (i + 1), 1);
            if (end == End.LATE) {
                document.sentLate(second);
            }
            all.ended(second, end, 1_000L * (i + 1), 1);
            End shed = i % 2 == 0 ? End.REFUSED : End.OK;
            staging.ended(second, shed, 500, 2);
            all.ended(second, shed, 500, 2);
        }
        document.ended(-1, End.OK, 60_000_000, 1); // warm-up
        Measured.Reader reader = new Measured.Reader();
        all.lines("all").forEach(reader::line);
        document.lines("document").forEach(reader::line);
        staging.lines("document-staging").forEach(reader::line);
        Histogram lag = new Histogram(3);
        lag.recordValue(1_500);
        reader.line("phase run");
        reader.line("unanswered 0");
        reader.line(Tally.lag(lag));
        return reader.measured(system, 0.5, new Measured.Disturbance(0.1, 7));
    }

    @Test
    void lines_readAgain_areWhatWasCounted() {
        Measured measured = measured("thalweg", false);
        Span document = measured.span("overload", "document");
        assertThat(document.calls()).isEqualTo(200);
        assertThat(document.sentLate()).isZero();
        assertThat(measured("thalweg", true).span("overload", "document").sentLate())
                .isEqualTo(1);
        assertThat(document.p99Ms()).isCloseTo(198, within(0.5));
        assertThat(document.maxMs()).isCloseTo(200, within(0.5));
        Span staging = measured.span("overload", "document-staging");
        assertThat(staging.refusedPercent()).isEqualTo(50);
        assertThat(staging.attempts()).isEqualTo(400);
        assertThat(measured.span("after", "all").calls()).isZero();
        assertThat(measured.lagP99Ms()).isCloseTo(1.5, within(0.01));
        var course = Objects.requireNonNull(measured.courses().get("document"));
        assertThat(course).hasSize(experiment.seconds());
        assertThat(course.get(3).span().ok()).isEqualTo(20);
    }

    @Test
    void verdicts_gatesMet_andOneCallLost() {
        assertThat(Verdict.of(experiment, Map.of("thalweg", measured("thalweg", false))))
                .hasSize(6)
                .allMatch(Verdict::met);
        assertThat(Verdict.of(experiment, Map.of("thalweg", measured("thalweg", true))))
                .filteredOn(verdict -> !verdict.met())
                .singleElement()
                .satisfies(verdict -> assertThat(verdict.line()).isEqualTo("NOT MET  no call of document lost: 1"));
    }

    @Test
    void chart_ofTwoSystems_isWellFormed() throws Exception {
        Map<String, Measured> runs = new LinkedHashMap<>();
        runs.put("none", measured("none", true));
        runs.put("thalweg", measured("thalweg", false));
        String svg = QalmChart.svg(experiment, List.copyOf(runs.values()));
        var document = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
        assertThat(document.getElementsByTagName("polyline").getLength())
                .as("two systems, two callers, three lines each")
                .isEqualTo(12);
    }

    @Test
    void verdict_ofATree_comparesWithWhatIsPossible() {
        Experiment tree = Experiment.of("E12", 0.1, 22); // 240 tasks a second are possible; counted from second 2 on
        for (double part : new double[] {0.85, 0.95}) {
            Tally tasks = new Tally(tree);
            for (int i = 0; i < 20 * 336; i++) {
                tasks.ended(2 + i / 336.0, i < part * 20 * 240 ? End.OK : End.REFUSED, 1_000, 1);
            }
            Measured.Reader reader = new Measured.Reader();
            tasks.lines("all").forEach(reader::line);
            tasks.lines("front").forEach(reader::line);
            assertThat(Verdict.of(tree, Map.of("thalweg", reader.measured("thalweg", 0.5, Measured.Disturbance.NONE))))
                    .filteredOn(verdict -> verdict.gate().contains("tasks"))
                    .singleElement()
                    .satisfies(verdict -> {
                        assertThat(verdict.met()).isEqualTo(part > 0.9);
                        assertThat(Double.parseDouble(verdict.found())).isCloseTo(part, within(0.001));
                    });
        }
    }

    @Test
    void overheadChart_ofTwoSystems_isWellFormed() throws Exception {
        List<Overhead.Round> rounds = List.of(
                new Overhead.Round(Map.of("none", 100.0, "thalweg", 102.0), Map.of()),
                new Overhead.Round(Map.of("none", 110.0, "thalweg", 111.1), Map.of()));
        assertThat(rounds.get(1).percent("thalweg")).isCloseTo(1, within(1e-9));
        var document = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(
                        OverheadChart.svg("E4 <5 endpoints>", List.of("none", "thalweg"), rounds)
                                .getBytes(StandardCharsets.UTF_8)));
        assertThat(document.getElementsByTagName("circle").getLength())
                .as("two systems, two rounds")
                .isEqualTo(4);
    }
}
