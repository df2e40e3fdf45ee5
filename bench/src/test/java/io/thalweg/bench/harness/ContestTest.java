package io.thalweg.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.bench.harness.Contest.Contestant;
import io.thalweg.bench.harness.Contest.Score;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ContestTest {
    private static final Progress SILENT = new Progress(new PrintWriter(Writer.nullWriter()), true);

    private final List<String> order = new ArrayList<>();

    private Contestant contestant(String system, String variant, Number... costs) {
        Iterator<Number> next = List.of(costs).iterator();
        return new Contestant(system, variant, () -> {
            order.add(system);
            return Score.of(Map.of("cost", next.next(), "rows", 7L), "");
        });
    }

    @Test
    void run_severalRounds_takesTurnsAndReportsMediansWithAllRounds() throws Exception {
        Contest contest = Contest.run(
                List.of(contestant("thalweg", "", 3.0, 1.0, 2.0), contestant("rival", "", 5.0, 9.0, 6.0)), 3, SILENT);

        assertThat(order).containsExactly("thalweg", "rival", "thalweg", "rival", "thalweg", "rival");
        Result own = contest.results().get(0);
        assertThat(own.figures()).containsEntry("cost", 2.0).containsEntry("rows", 7L);
        assertThat(own.rounds()).isEqualTo(Map.of("cost", List.of(3.0, 1.0, 2.0)));
        assertThat(own.range("cost")).isEqualTo("  (1.000 to 3.000)");
        assertThat(own.range("rows")).isEmpty();
        assertThat(contest.wrong()).isEmpty();
    }

    @Test
    void run_evenRounds_averagesTheTwoInTheMiddle() throws Exception {
        Contest contest = Contest.run(List.of(contestant("thalweg", "", 4.0, 1.0)), 2, SILENT);

        assertThat(contest.results().get(0).figures()).containsEntry("cost", 2.5);
    }

    @Test
    void run_otherRows_namesTheContestant() throws Exception {
        Contestant wrong = new Contestant("rival", "batch 1", () -> Score.of(Map.of("cost", 1.0), "a row is missing"));

        assertThat(Contest.run(List.of(wrong), 1, SILENT).wrong()).isEqualTo("rival, batch 1: a row is missing");
    }

    @Test
    void ratios_severalVariants_compareTheBestOfEach() throws Exception {
        List<Result> results = Contest.run(
                        List.of(
                                contestant("thalweg", "a", 4.0),
                                contestant("thalweg", "b", 2.0),
                                contestant("rival", "a", 6.0),
                                contestant("rival", "b", 8.0)),
                        1,
                        SILENT)
                .results();

        assertThat(Contest.costRatios(results, "cost")).isEqualTo(Map.of("thalweg_vs_rival", 3.0));
        assertThat(Contest.rateRatios(results, "cost")).isEqualTo(Map.of("thalweg_vs_rival", 0.5));
    }
}
