package io.thalweg.bench.publish;

import io.thalweg.bench.harness.Benchmark;
import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.publish.StoreWriter.Way;
import io.thalweg.bench.stores.RedisServer;
import io.thalweg.bench.stores.StoreServer;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code thalweg bench materialize}: writes a table in Parquet to Redis. All ways read the table in the same way.
 *
 * <p><b>Ways.</b> With the order rule and the TTL: one call per row, 500 calls at a time, {@code thalweg materialize}, and the
 * same calls replayed from memory. Without them, as published: {@code HSET} of a text, one by one and 500 at a time.
 */
@Command(
        name = "materialize",
        description = "Rows of a table in Parquet into Redis: thalweg materialize, a call per row, pipelined calls.",
        footer = {"", "Example:", "  thalweg bench materialize --rows 3000000"})
public final class MaterializeCommand extends Benchmark {
    private static final long DAY_MS = 86_400_000;

    @Option(names = "--rows", description = "Default 3000000; ways with a row per call write a tenth.")
    private long rows = 3_000_000;

    @Option(names = "--parallelism", split = ",", description = "Of thalweg materialize; default 1,2.")
    private List<Integer> parallelisms = List.of(1, 2);

    @Override
    public Integer call() throws Exception {
        Contest contest =
                StoreServer.each(List.of("redis"), out()::println, (redis, folder) -> run((RedisServer) redis, folder));
        return end("materialize", contest, StoreWays.ratios(contest.results()));
    }

    private Contest run(RedisServer redis, Path folder) throws Exception {
        long endMs = Math.floorDiv(Clock.systemUTC().millis(), DAY_MS) * DAY_MS;
        progress().say("writing a table of %d rows".formatted(rows));
        Rows all = DriverRows.write(folder.resolve("all"), rows, endMs);
        Rows few = DriverRows.write(folder.resolve("few"), Math.max(1, rows / StoreWays.FEWER), endMs);
        try (StoreWays ways = new StoreWays(redis, progress())) {
            ways.warmUp(few, Way.CALLS);
            ways.warmUp(few, Way.PLAIN);
            ways.warmUp(all, Way.JOB);
            ways.add("one_call_per_row", "order rule, ttl", few, Way.CALLS, 1);
            ways.add("pipelined", "500 calls, order rule, ttl", all, Way.CALLS, StoreWays.TOGETHER);
            ways.add("plain_one_call_per_row", "1 HSET at a time, no order rule, no ttl", few, Way.PLAIN, 1);
            ways.add(
                    "plain_pipelined", "500 HSET at a time, no order rule, no ttl", all, Way.PLAIN, StoreWays.TOGETHER);
            parallelisms.forEach(parallelism -> ways.addJob(all, StoreWays.BATCH, parallelism));
            ways.addReplay(all);
            return contest(ways.all());
        }
    }
}
