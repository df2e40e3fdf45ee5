package io.thalweg.bench.recover;

import io.thalweg.bench.harness.Benchmark;
import io.thalweg.bench.harness.Contest.Contestant;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
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
public final class RecoverCommand extends Benchmark {
    @Option(names = "--keys", split = ",", description = "Keys in the state, for each run; default 0,2000000.")
    private List<Long> keys = List.of(0L, 2_000_000L);

    @Option(names = "--seconds", description = "Of steady load before and after; default 30.")
    private int seconds = 30;

    @Override
    public Integer call() throws Exception {
        requireAtLeastOne("--seconds", seconds);
        for (long each : keys) {
            if (each < 0) {
                throw refusal("--keys must be at least 0, was " + each);
            }
        }
        List<Contestant> runs = keys.stream()
                .map(each ->
                        new Contestant(OWN, each + "_keys", () -> new RecoverRun(each, seconds, progress()).measure()))
                .toList();
        return end("recover", contest(runs), Map.of());
    }
}
