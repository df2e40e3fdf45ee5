package io.thalweg.bench.qalm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.thalweg.bench.harness.Orders;
import io.thalweg.bench.qalm.Measured.Calls;
import io.thalweg.bench.qalm.Measured.Span;
import io.thalweg.bench.qalm.Tally.End;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** From the calls to what is said about them. */
class TallyTest {
    private final Experiment experiment = Experiment.of("E2", 0.1, 10);

    /** Of {@code document} 200 calls in time, of {@code document-staging} every other one refused. */
    private Measured measured(boolean losesOne) {
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
        Map<String, Tally> tallies = new LinkedHashMap<>();
        tallies.put("all", all);
        tallies.put("document", document);
        tallies.put("document-staging", staging);
        return measured(tallies);
    }

    /** As the load's process says it to the one that started it. */
    private static Measured measured(Map<String, Tally> tallies) {
        Calls calls = Orders.read(Orders.line(new Calls(Tally.spans(tallies), 1.5, 0)), Calls.class);
        return new Measured("thalweg", calls, 0.5, new Measured.Disturbance(0.1, 7));
    }

    @Test
    void lines_readAgain_areWhatWasCounted() {
        Measured measured = measured(false);
        Span document = measured.span("overload", "document");
        assertThat(document.calls()).isEqualTo(200);
        assertThat(document.sentLate()).isZero();
        assertThat(measured(true).span("overload", "document").sentLate()).isEqualTo(1);
        assertThat(document.p99Ms()).isCloseTo(198, within(0.5));
        assertThat(document.maxMs()).isCloseTo(200, within(0.5));
        Span staging = measured.span("overload", "document-staging");
        assertThat(staging.refusedPercent()).isEqualTo(50);
        assertThat(staging.attempts()).isEqualTo(400);
        assertThat(measured.span("after", "all").calls()).isZero();
        assertThat(measured.calls().lagP99Ms()).isEqualTo(1.5);
    }

    @Test
    void verdicts_gatesMet_andOneCallLost() {
        assertThat(Verdict.of(experiment, Map.of("thalweg", measured(false))))
                .hasSize(6)
                .allMatch(Verdict::met);
        assertThat(Verdict.of(experiment, Map.of("thalweg", measured(true))))
                .filteredOn(verdict -> !verdict.met())
                .singleElement()
                .satisfies(verdict -> assertThat(verdict.line()).isEqualTo("NOT MET  no call of document lost: 1"));
    }

    @Test
    void verdict_ofATree_comparesWithWhatIsPossible() {
        Experiment tree = Experiment.of("E12", 0.1, 22); // 240 tasks a second are possible; counted from second 2 on
        for (double part : new double[] {0.85, 0.95}) {
            Tally tasks = new Tally(tree);
            for (int i = 0; i < 20 * 336; i++) {
                tasks.ended(2 + i / 336.0, i < part * 20 * 240 ? End.OK : End.REFUSED, 1_000, 1);
            }
            Measured measured = measured(Map.of("all", tasks, "front", tasks));
            assertThat(Verdict.of(tree, Map.of("thalweg", measured)))
                    .filteredOn(verdict -> verdict.gate().contains("tasks"))
                    .singleElement()
                    .satisfies(verdict -> {
                        assertThat(verdict.met()).isEqualTo(part > 0.9);
                        assertThat(Double.parseDouble(verdict.found())).isCloseTo(part, within(0.001));
                    });
        }
    }
}
