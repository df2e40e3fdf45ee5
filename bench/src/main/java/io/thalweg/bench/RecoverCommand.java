package io.thalweg.bench;

import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Contest.Contestant;
import io.thalweg.bench.harness.Report;
import io.thalweg.bench.recover.RecoverRun;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code thalweg bench recover}: kills a job and measures how long it takes until it writes rows again. */
@Command(
        name = "recover",
        description =
                "Kills thalweg run with kill -9, starts it again, and waits for its rows; by the size of its state.",
        footer = {
            "",
            "Examples:",
            "  thalweg bench recover --keys 2000000",
            "  thalweg bench recover --keys 0,2000000,20000000 --rounds 3"
        })
final class RecoverCommand implements Callable<Integer> {
    @Mixin
    private final Report report = new Report();

    @Option(
            names = "--keys",
            split = ",",
            paramLabel = "N",
            description = "Keys in the state, for each run; default 0,2000000. A million take about 50 MB.")
    private List<Long> keys = List.of(0L, 2_000_000L);

    @Option(names = "--seconds", paramLabel = "N", description = "Of steady load before and after; default 30.")
    private int seconds = 30;

    @Override
    public Integer call() throws Exception {
        report.requireAtLeastOne("--seconds", seconds);
        for (long each : keys) {
            if (each < 0) {
                throw report.refusal("--keys must be at least 0, was " + each);
            }
        }
        List<Contestant> runs = keys.stream()
                .map(each -> new Contestant(
                        "thalweg", each + "_keys", () -> new RecoverRun(each, seconds, report.progress()).measure()))
                .toList();
        return report.end("recover", Contest.run(runs, report.rounds(), report.progress()), Map.of());
    }
}
