package io.thalweg.bench.publish;

import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Progress;
import io.thalweg.bench.publish.StoreWriter.Way;
import io.thalweg.bench.stores.RedisServer;
import io.thalweg.devkit.EmbeddedKafka;
import java.time.Clock;
import java.util.List;

/**
 * Writes rows of a topic to Redis: {@code thalweg publish}, compared with a thread that calls the store row by row, or with 500
 * calls at once.
 */
public record PublishRun(long rows, List<Integer> batches, List<Integer> parallelisms, int rounds, Progress progress) {
    /** Measures all ways into a Redis, which is empty. */
    public Contest run(RedisServer redis) throws Exception {
        long firstEndMs = DemandRows.recentEndMs(Clock.systemUTC());
        progress.say("writing a topic of %d rows".formatted(rows));
        try (EmbeddedKafka kafka = EmbeddedKafka.start();
                StoreWays ways = StoreWays.start(redis, progress)) {
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
            return ways.run(rounds);
        }
    }
}
