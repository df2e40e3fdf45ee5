package io.thalweg.bench.publish;

import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Contest.Contestant;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Folders;
import io.thalweg.bench.harness.Processes;
import io.thalweg.bench.harness.Progress;
import io.thalweg.bench.harness.Score;
import io.thalweg.bench.publish.Publisher.Order;
import io.thalweg.bench.stores.RedisServer;
import io.thalweg.bench.stores.Replay;
import io.thalweg.bench.stores.StoreServer;
import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.redis.RedisOnlineStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One broker, one store, one process that writes; each way of writing in turn, each into an empty store, whose rows are read back
 * and compared. Ways with a call per row write a tenth.
 *
 * @param store {@code redis} or {@code cassandra}
 */
public record PublishRun(
        String store, long rows, List<Integer> batches, List<Integer> parallelisms, int rounds, Progress progress) {
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final String FEW_TOPIC = "demand-features-few";
    private static final int FEWER = 10;
    private static final int TOGETHER = 500;
    /** Of the job, of which there is more to compile. */
    private static final int WARM_UPS = 4;

    /**
     * Measures all ways.
     *
     * @throws IllegalStateException if the store's server does not start; the message says why
     */
    public Contest run() throws Exception {
        long firstEndMs = DemandRows.recentEndMs(Clock.systemUTC());
        DemandRows all = new DemandRows(rows, firstEndMs);
        DemandRows few = new DemandRows(Math.max(1, rows / FEWER), firstEndMs);
        Path folder = Files.createTempDirectory("thalweg-publish");
        try (EmbeddedKafka kafka = EmbeddedKafka.start();
                StoreServer server = StoreServer.start(store, folder)) {
            progress.say("%s; writing %d records of %d rows".formatted(store, all.blocks(), all.blockRows()));
            send(all, DemandRows.TOPIC, kafka);
            send(few, FEW_TOPIC, kafka);
            List<String> args = List.of(kafka.bootstrap(), Publisher.text(server.address()));
            Processes.Entry entry = new Processes.Entry("publisher", List.of("-Xmx2g"), Publisher.class);
            try (Processes.Running publisher = new Processes(progress, PATIENCE).start(entry, in -> args)) {
                return new Ways(all, few, server, publisher).run();
            }
        } finally {
            Folders.delete(folder);
        }
    }

    private static void send(DemandRows rows, String topic, EmbeddedKafka kafka) throws Exception {
        kafka.createTopic(topic, DemandRows.PARTITIONS, Map.of("max.message.bytes", "8388608"));
        rows.send(kafka.bootstrap(), topic);
    }

    /** The ways of writing, once all is there that they need. */
    private final class Ways {
        private final DemandRows all;
        private final DemandRows few;
        private final StoreServer server;
        private final Processes.Running publisher;

        Ways(DemandRows all, DemandRows few, StoreServer server, Processes.Running publisher) {
            this.all = all;
            this.few = few;
            this.server = server;
            this.publisher = publisher;
        }

        Contest run() throws Exception {
            warmUp();
            List<Contestant> ways = new ArrayList<>();
            ways.add(new Contestant("one_call_per_row", "1 connection", () -> calls(1)));
            ways.add(new Contestant("pipelined", TOGETHER + " calls", () -> calls(TOGETHER)));
            for (int parallelism : parallelisms) {
                for (int batch : batches) {
                    String variant = "batch %d, parallelism %d".formatted(batch, parallelism);
                    ways.add(new Contestant("thalweg", variant, () -> job(batch, parallelism)));
                }
            }
            try (Replay replay = recorded()) {
                if (replay != null) {
                    ways.add(new Contestant("replay", "the same calls from memory", () -> again(replay)));
                }
                return Contest.run(ways, rounds, progress);
            }
        }

        private void warmUp() throws Exception {
            Score unused = calls(1);
            unused = calls(TOGETHER);
            for (int time = 0; time < WARM_UPS; time++) {
                unused = job(5_000, 1);
            }
        }

        private Score calls(int together) throws Exception {
            return ask(Order.ofCalls(FEW_TOPIC, few.count(), together), few, false);
        }

        private Score job(int batch, int parallelism) throws Exception {
            return ask(Order.ofJob(batch, parallelism), all, true);
        }

        private Score ask(Order order, DemandRows expected, boolean withProgress) throws Exception {
            server.clear();
            double before = server.processorSeconds();
            Score score = publisher.ask(order);
            return new Figures()
                    .putAll(score.figures())
                    .put(
                            "server_cpu_seconds_per_million_rows",
                            (server.processorSeconds() - before) / expected.count() * 1e6)
                    .score(difference(score.figures().get("rows"), expected, withProgress));
        }

        private String difference(@Nullable Number written, DemandRows expected, boolean withProgress) {
            if (written == null || written.longValue() != expected.count()) {
                return "wrote %s of %d rows".formatted(written, expected.count());
            }
            try (OnlineStore store = server.open(Clock.systemUTC())) {
                if (withProgress && store.watermark("demand").orElse(0) != expected.lastEndMs()) {
                    return "progress is not " + expected.lastEndMs();
                }
                return expected.difference(store);
            }
        }

        /** The store's own calls, to be sent once more from memory; null for a store where they cannot be. */
        private @Nullable Replay recorded() throws Exception {
            if (!(server instanceof RedisServer redis)) {
                return null;
            }
            server.clear();
            Replay replay = new Replay(redis.port());
            long[][] samples = DemandRows.samples();
            try (OnlineStore recorded = RedisOnlineStore.open(replay.uri(), StoreServer.PROJECT, Clock.systemUTC())) {
                for (int b = 0; b < all.blocks(); b++) {
                    recorded.write(DemandRows.VIEW, List.of(all.block(b, samples)));
                }
            }
            return replay;
        }

        private Score again(Replay replay) throws Exception {
            Figures figures = replay.measure(server, all.count());
            return figures.score(difference(all.count(), all, false));
        }
    }
}
