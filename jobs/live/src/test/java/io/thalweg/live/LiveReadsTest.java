package io.thalweg.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import io.thalweg.api.v1.LiveKey;
import io.thalweg.api.v1.LiveRow;
import io.thalweg.api.v1.LiveStatus;
import io.thalweg.model.Definitions;
import io.thalweg.model.row.Shard;
import io.thalweg.model.view.FeatureView;
import io.thalweg.testing.Await;
import io.thalweg.testing.FreePorts;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Client and endpoint, over a real connection and without; the tasks' threads are the test's. */
@ParameterizedClass(name = "overNetwork={0}")
@ValueSource(booleans = {true, false})
class LiveReadsTest {
    private static final FeatureView VIEW =
            Definitions.parse("""
                    apiVersion: thalweg/v1
                    kind: FeatureView
                    name: per_campaign
                    source: {topic: events}
                    entities: [{name: campaign, field: campaign_id, type: int64}]
                    measures: [{name: views, count: all}]
                    windows: {sizes: [10s], every: 10s}
                    """, "per_campaign.yaml").views().get(0);
    private static final LiveView KEYS = new LiveView(VIEW);
    private static final String JOB = "live-reads-test";

    private final List<LiveTask> tasks = new ArrayList<>();
    private final List<ExecutorService> threads = new ArrayList<>();
    private final boolean overNetwork;
    private final LiveClient client;

    LiveReadsTest(boolean overNetwork) {
        this.overNetwork = overNetwork;
        client = client(() -> LiveEndpoint.routes(JOB), Await.PATIENCE);
    }

    private LiveClient client(LiveRoutes routes, Duration timeout) {
        return new LiveClient(routes, timeout, null, overNetwork);
    }

    @AfterEach
    void close() {
        client.close();
        tasks.forEach(LiveTask::close);
        threads.forEach(ExecutorService::shutdownNow);
    }

    @Test
    void read_keysOfTwoTasks_answersEachByItsOwnerInTheOrderAsked() {
        join(0, 127, reads(1));
        join(128, Shard.COUNT - 1, reads(2));
        List<LiveKey> keys = keys(1_500);

        List<LiveRow> rows = client.read(KEYS, keys);

        assertThat(rows).hasSize(1_500);
        for (int i = 0; i < rows.size(); i++) {
            assertThat(rows.get(i).getCount())
                    .isEqualTo(number(keys.get(i)) * 10 + (keys.get(i).getShard() < 128 ? 1 : 2));
        }
    }

    @Test
    void read_noKeys_isNoRows() {
        join(0, Shard.COUNT - 1, reads(1));
        assertThat(client.read(KEYS, List.of())).isEmpty();
    }

    @Test
    void read_shardHasMoved_findsItsNewOwner() {
        LiveTask before = join(0, Shard.COUNT - 1, reads(1));
        assertThat(client.read(KEYS, keys(1)).get(0).getCount()).isEqualTo(1);

        join(0, Shard.COUNT - 1, reads(2));
        before.close();

        assertThat(client.read(KEYS, keys(1)).get(0).getCount()).isEqualTo(2);
    }

    @Test
    void read_processWasReplaced_findsTheOtherPort() {
        LiveTask before = join(0, Shard.COUNT - 1, reads(1));
        client.read(KEYS, keys(1));
        before.close(); // the last of its process: the port closes
        LiveTask after = join(0, Shard.COUNT - 1, reads(2));

        assertThat(client.read(KEYS, keys(1)).get(0).getCount()).isEqualTo(2);
        assertThat(after.route().job()).isEqualTo(JOB);
    }

    @Test
    void read_noJobRuns_saysSo() {
        assertThatThrownBy(() -> client.read(KEYS, keys(3)))
                .isInstanceOf(LiveUnavailableException.class)
                .hasMessageContaining("3 of 3 keys of view per_campaign")
                .hasMessageContaining("not running");
    }

    @Test
    void read_anotherJobListensThere_isNotAnswered() {
        LiveTask task = join(0, Shard.COUNT - 1, reads(1));
        LiveRoute route = task.route();
        LiveRoute stale = new LiveRoute("another", route.view(), 0, 255, route.host(), route.port(), false);
        try (LiveClient lost = client(() -> List.of(stale), Await.PATIENCE)) {
            assertThatThrownBy(() -> lost.read(KEYS, keys(1))).isInstanceOf(LiveUnavailableException.class);
        }
    }

    /** A process that died stays among the routes until Flink forgets it, and may be reported last. */
    @Test
    void read_oldAddressIsToldBesideTheNewOne_asksTheOther() throws IOException {
        LiveRoute right = join(0, Shard.COUNT - 1, reads(1)).route();
        LiveRoute dead =
                new LiveRoute(right.job(), right.view(), 0, Shard.COUNT - 1, right.host(), FreePorts.next(), false);
        LiveRoute moved = new LiveRoute("another", right.view(), 0, Shard.COUNT - 1, right.host(), right.port(), false);
        for (List<LiveRoute> routes :
                List.of(List.of(right, dead), List.of(dead, right), List.of(right, moved, dead))) {
            try (LiveClient between = new LiveClient(() -> routes, Await.PATIENCE)) {
                assertThat(between.read(KEYS, keys(20))).hasSize(20);
            }
        }
    }

    @Test
    void read_routesCannotBeFound_namesTheReason() {
        try (LiveClient lost = client(
                () -> {
                    throw new IOException("connection refused");
                },
                Duration.ofSeconds(1))) {
            assertThatThrownBy(() -> lost.read(KEYS, keys(1)))
                    .isInstanceOf(LiveUnavailableException.class)
                    .hasMessageContaining("connection refused");
        }
    }

    @Test
    void read_moreKeysWaitThanMay_isRefusedAtOnceAndTheOthersAreAnswered() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        CountDownLatch standing = new CountDownLatch(1);
        join(0, Shard.COUNT - 1, key -> {
            standing.countDown();
            gate.await();
            return reads(1).read(key);
        });
        CompletableFuture<List<LiveRow>> first = CompletableFuture.supplyAsync(() -> client.read(KEYS, keys(1)));
        standing.await();
        try (LiveClient impatient = client(() -> LiveEndpoint.routes(JOB), Duration.ofMillis(100))) {
            boolean overloaded = false;
            while (!overloaded) { // each of these leaves its keys in the queue
                overloaded = catchThrowableOfType(
                                LiveUnavailableException.class, () -> impatient.read(KEYS, keys(1_000)))
                        .overloaded();
            }
        }

        gate.countDown();
        assertThat(first.get()).hasSize(1);
        assertThat(readWhenThereIsRoom(keys(1_000))).hasSize(1_000);
    }

    /** The keys of readers that gave up remain queued until the task reaches them. */
    private List<LiveRow> readWhenThereIsRoom(List<LiveKey> keys) throws InterruptedException {
        long deadline = System.nanoTime() + Await.PATIENCE.toNanos();
        while (true) {
            try {
                return client.read(KEYS, keys);
            } catch (LiveUnavailableException e) {
                if (!e.overloaded() || System.nanoTime() > deadline) {
                    throw e;
                }
                Thread.sleep(10);
            }
        }
    }

    @Test
    void close_readsAreWaiting_theyAreToldToLookElsewhere() throws Exception {
        BlockingQueue<Runnable> neverRun = new LinkedBlockingQueue<>();
        LiveTask task = LiveEndpoint.join(
                JOB,
                VIEW.qualifiedName(),
                0,
                Shard.COUNT - 1,
                LiveAddress.LOOPBACK,
                neverRun::add,
                LiveReads.oneByOne(reads(1)));
        tasks.add(task);
        CompletableFuture<List<LiveRow>> read = CompletableFuture.supplyAsync(() -> client.read(KEYS, keys(1)));
        neverRun.take();

        join(0, Shard.COUNT - 1, reads(2));
        task.close();

        assertThat(read.get().get(0).getCount()).isEqualTo(2);
    }

    @Test
    void read_keyThatTheTaskRefuses_isTheCallersMistake() {
        join(0, Shard.COUNT - 1, key -> {
            throw new IllegalArgumentException("no such cell");
        });
        assertThatThrownBy(() -> client.read(KEYS, keys(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no such cell");
    }

    /** Such a key takes no room in the queue either. */
    @Test
    void read_keyThatCannotBePrepared_isTheCallersMistake() {
        joinWith(0, Shard.COUNT - 1, keys -> {
            if (keys.size() > 1) {
                throw new IllegalArgumentException("no such cell");
            }
            return LiveReads.oneByOne(reads(1)).prepare(keys);
        });
        for (int i = 0; i < 20; i++) {
            assertThatThrownBy(() -> client.read(KEYS, keys(1_000)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("no such cell");
        }
        assertThat(client.read(KEYS, keys(1))).hasSize(1);
    }

    @Test
    void read_answerThatCannotBeMade_isNotAvailable() {
        joinWith(0, Shard.COUNT - 1, keys -> new LiveReads.Reading() {
            @Override
            public void read() {}

            @Override
            public List<LiveRow> rows() {
                throw new ArithmeticException("beyond all time");
            }
        });
        assertThatThrownBy(() -> client.read(KEYS, keys(1)))
                .isInstanceOf(LiveUnavailableException.class)
                .hasMessageContaining("beyond all time");
    }

    @Test
    void read_tasksThread_onlyLooksUp() {
        Map<String, Thread> threads = new ConcurrentHashMap<>();
        joinWith(0, Shard.COUNT - 1, keys -> {
            threads.put("prepare", Thread.currentThread());
            LiveReads.Reading reading = LiveReads.oneByOne(reads(1)).prepare(keys);
            return new LiveReads.Reading() {
                @Override
                public void read() throws Exception {
                    threads.put("read", Thread.currentThread());
                    reading.read();
                }

                @Override
                public List<LiveRow> rows() {
                    threads.put("rows", Thread.currentThread());
                    return reading.rows();
                }
            };
        });

        assertThat(client.read(KEYS, keys(1))).hasSize(1);

        assertThat(threads).hasSize(3);
        assertThat(threads.get("read")).isNotIn(threads.get("prepare"), threads.get("rows"));
    }

    @Test
    void ofText_whatToTextWrote_isTheSame() throws IOException {
        LiveRoute route = new LiveRoute("a", "demand_v2", 3, 7, "::1", 4711, true);
        assertThat(LiveRoute.ofText(route.toText())).isEqualTo(route);
        assertThatThrownBy(() -> LiveRoute.ofText("{}")).isInstanceOf(IOException.class);
    }

    private LiveTask join(int firstShard, int lastShard, LiveReads.OneKey read) {
        return joinWith(firstShard, lastShard, LiveReads.oneByOne(read));
    }

    private LiveTask joinWith(int firstShard, int lastShard, LiveReads reads) {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        threads.add(thread);
        LiveTask task = LiveEndpoint.join(
                JOB, VIEW.qualifiedName(), firstShard, lastShard, LiveAddress.LOOPBACK, thread, reads);
        tasks.add(task);
        return task;
    }

    private static LiveReads.OneKey reads(int task) {
        return key -> LiveRow.newBuilder()
                .setStatus(LiveStatus.FOUND)
                .setCount(number(key) * 10 + task)
                .build();
    }

    private static long number(LiveKey key) {
        return key.getKey().asReadOnlyByteBuffer().getLong();
    }

    private static List<LiveKey> keys(int count) {
        List<LiveKey> keys = IntStream.range(0, count)
                .mapToObj(i -> KEYS.key(0, List.of((long) i)))
                .toList();
        assertThat(keys).allMatch(key -> !key.getKey().equals(ByteString.EMPTY));
        return keys;
    }
}
