package io.thalweg.bench.publish;

import io.thalweg.bench.harness.Benchmark;
import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.publish.StoreWriter.Way;
import io.thalweg.bench.stores.RedisServer;
import io.thalweg.bench.stores.StoreServer;
import io.thalweg.devkit.EmbeddedKafka;
import java.time.Clock;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code thalweg bench publish}: writes rows of a topic to Redis by {@code thalweg publish}, compared with a thread that calls
 * the store row by row, or with 500 calls at once.
 */
@Command(
        name = "publish",
        description =
                "Rows of the demand view from Kafka into Redis: thalweg publish, a call per row, pipelined calls.",
        footer = {"", "Example:", "  thalweg bench publish --rows 3000000"})
public final class PublishCommand extends Benchmark {
    @Option(names = "--rows", description = "Default 3000000; ways with a row per call write a tenth.")
    private long rows = 3_000_000;

    @Option(names = "--batch", split = ",", description = "The most rows of a write; default 1,50,100,200,5000.")
    private List<Integer> batches = List.of(1, 50, 100, 200, 5_000);

    @Option(names = "--parallelism", split = ",", description = "Of thalweg publish; default 1,2,4.")
    private List<Integer> parallelisms = List.of(1, 2, 4);

    @Override
    public Integer call() throws Exception {
        Contest contest =
                StoreServer.each(List.of("redis"), out()::println, (redis, folder) -> run((RedisServer) redis));
        return end("publish", contest, StoreWays.ratios(contest.results()));
    }

    private Contest run(RedisServer redis) throws Exception {
        long firstEndMs = DemandRows.recentEndMs(Clock.systemUTC());
        progress().say("writing a topic of %d rows".formatted(rows));
        try (EmbeddedKafka kafka = EmbeddedKafka.start();
                StoreWays ways = new StoreWays(redis, progress())) {
            Rows all = TopicRows.send(kafka, "demand-features", new DemandRows(rows, firstEndMs));
            Rows few = TopicRows.send(
                    kafka, "demand-features-few", new DemandRows(Math.max(1, rows / StoreWays.FEWER), firstEndMs));
            ways.warmUp(few, Way.CALLS);
            ways.warmUp(all, Way.JOB);
            ways.add("one_call_per_row", "1 call", few, Way.CALLS, 1);
            ways.add("pipelined", StoreWays.TOGETHER + " calls", all, Way.CALLS, StoreWays.TOGETHER);
            for (int parallelism : parallelisms) {
                for (int batch : batches) {
                    ways.addJob(batch == 1 ? few : all, batch, parallelism);
                }
            }
            ways.addReplay(all);
            return contest(ways.all());
        }
    }
}
