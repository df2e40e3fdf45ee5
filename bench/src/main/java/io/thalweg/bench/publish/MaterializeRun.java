package io.thalweg.bench.publish;

import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Progress;
import io.thalweg.bench.publish.StoreWriter.Way;
import io.thalweg.bench.stores.RedisServer;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;

/**
 * Writes a table in Parquet to Redis. All ways read the table in the same way.
 *
 * <p><b>Ways.</b> With the order rule and the TTL: one call per row, 500 calls at a time, {@code thalweg materialize}, and the
 * same calls replayed from memory. Without them, as published: {@code HSET} of a text, one by one and 500 at a time.
 */
public record MaterializeRun(long rows, List<Integer> parallelisms, int rounds, Progress progress) {
    private static final long DAY_MS = 86_400_000;

    /**
     * Measures all ways.
     *
     * @param redis which is empty
     * @param folder for the tables
     */
    public Contest run(RedisServer redis, Path folder) throws Exception {
        long endMs = Math.floorDiv(Clock.systemUTC().millis(), DAY_MS) * DAY_MS;
        progress.say("writing a table of %d rows".formatted(rows));
        Rows all = DriverRows.write(folder.resolve("all"), rows, endMs);
        Rows few = DriverRows.write(folder.resolve("few"), Math.max(1, rows / StoreWays.FEWER), endMs);
        try (StoreWays ways = StoreWays.start(redis, progress)) {
            ways.warmUp(few, Way.CALLS);
            ways.warmUp(few, Way.PLAIN);
            ways.warmUp(all, Way.JOB);
            ways.add("read_only", "nothing written", all, Way.NONE, StoreWays.TOGETHER);
            ways.add("one_call_per_row", "order rule, ttl", few, Way.CALLS, 1);
            ways.add("pipelined", "500 calls, order rule, ttl", all, Way.CALLS, StoreWays.TOGETHER);
            ways.add("plain_one_call_per_row", "1 HSET at a time, no order rule, no ttl", few, Way.PLAIN, 1);
            ways.add(
                    "plain_pipelined", "500 HSET at a time, no order rule, no ttl", all, Way.PLAIN, StoreWays.TOGETHER);
            parallelisms.forEach(parallelism -> ways.addJob(all, StoreWays.BATCH, parallelism));
            ways.addReplay(all);
            return ways.run(rounds);
        }
    }
}
