package io.thalweg.jobs.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.records.schema.Struct;
import io.thalweg.warehouse.EncodedRows;
import io.thalweg.warehouse.EncodedRows.Origin;
import io.thalweg.warehouse.RetryCause;
import io.thalweg.warehouse.RowStream;
import io.thalweg.warehouse.StreamCommit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Simulates a subtask's writer and a service in simulated time: how many streams there are, and how much is in flight. */
class StreamSimulationTest {
    private static final double SECOND = 1e9;
    private static final double MB = 1e6;
    private static final int BATCH = 250_000;
    private static final Struct ROWS = new Struct(List.of());
    private static final EncodedRows ROWS_OF_A_BATCH = batch();

    private static EncodedRows batch() {
        EncodedRows.Builder rows = new EncodedRows.Builder();
        Origin origin = new Origin("rides", 0, 0, 0);
        for (int i = 0; i < BATCH / 1_000; i++) {
            rows.add(new byte[1_000], 0, 1_000, origin);
        }
        return rows.take();
    }

    /** A pending answer. */
    private record Answer(double atNanos, long number, int bytes, CompletableFuture<List<RowStream.Refused>> to) {}

    /** A service, a clock, and a subtask that reads a topic and writes to the service. */
    private static final class World implements StreamTime, SinkWriter.Context {
        private final Random random;
        private final PriorityQueue<Answer> answers =
                new PriorityQueue<>(Comparator.comparingDouble(Answer::atNanos).thenComparingLong(Answer::number));
        private final List<Integer> streamsBySecond = new ArrayList<>();
        private final String job = UUID.randomUUID().toString();
        private final RowStreamWriter writer;
        private double now;
        private long numbers;
        private long bytesOnTheirWay;
        private long mostOnTheirWay;
        private double acknowledged;
        private double totalFreeAt;

        /** Bytes per second: of one stream, of all streams, that arrive in the topic, and that the subtask can translate. */
        private double streamRate = 10 * MB;

        private double totalRate = 1e15;
        private double load;
        private double ownRate = 150 * MB;
        private double latencyNanos = 0.05 * SECOND;
        private double backlog;
        /** The time until which the service does not answer. */
        private double awayUntil;

        World(long seed, StreamSpec.Writers writers) {
            random = new Random(seed);
            StreamSpec spec = new StreamSpec(new Table(), ROWS, writers, job, subtask -> new NoRefusals());
            writer = new RowStreamWriter(spec, 0, 1, List.of(), this);
        }

        @Override
        public long nanos() {
            return (long) now;
        }

        /** Advances the time to the next answer, by at most a second. */
        @Override
        public void await(Object monitor) {
            Answer next = answers.peek();
            double until = now + SECOND;
            pass(next == null ? until : Math.min(until, Math.max(now, next.atNanos())));
        }

        private void pass(double until) {
            while (!answers.isEmpty() && answers.peek().atNanos() <= until) {
                Answer answer = answers.remove();
                advance(answer.atNanos());
                bytesOnTheirWay -= answer.bytes();
                acknowledged += answer.bytes();
                answer.to().complete(List.of());
            }
            advance(until);
        }

        private void advance(double to) {
            double next = Math.max(now, to);
            backlog += load * (next - now) / SECOND;
            while ((int) (now / SECOND) < (int) (next / SECOND)) {
                now = ((int) (now / SECOND) + 1) * SECOND;
                streamsBySecond.add(StreamAccount.of(job).streams());
            }
            now = next;
        }

        /** Runs for some seconds, with a checkpoint every ten seconds. */
        void run(int seconds) throws IOException, InterruptedException {
            double end = now + seconds * SECOND;
            double checkpoint = now + 10 * SECOND;
            while (now < end) {
                pass(now + BATCH / ownRate * SECOND);
                if (backlog >= BATCH) {
                    backlog -= BATCH;
                    writer.write(ROWS_OF_A_BATCH, this);
                }
                if (now >= checkpoint) {
                    checkpoint += 10 * SECOND;
                    writer.flush(false);
                    writer.prepareCommit();
                }
            }
        }

        /** Returns the number of streams in each of the last seconds. */
        List<Integer> streams(int seconds) {
            return streamsBySecond.subList(streamsBySecond.size() - seconds, streamsBySecond.size());
        }

        @Override
        public long currentWatermark() {
            return 0;
        }

        @Override
        public @Nullable Long timestamp() {
            return null;
        }

        private final class Table extends FakeTable {
            private static final long serialVersionUID = 1L;

            @Override
            public RowStream stream(Consumer<RetryCause> retried) {
                return new Stream();
            }
        }

        /** Processes requests one after the other, at the rate of a stream and within that of all streams. */
        private final class Stream implements RowStream {
            private double freeAt;

            @Override
            public CompletableFuture<List<Refused>> append(EncodedRows rows, int from, int to) {
                int bytes = rows.bytes(from, to);
                freeAt = Math.max(Math.max(now, awayUntil), freeAt) + bytes / streamRate * SECOND;
                totalFreeAt = Math.max(now, totalFreeAt) + bytes / totalRate * SECOND;
                double latency = latencyNanos * (1 + 0.2 * Math.abs(random.nextGaussian()));
                CompletableFuture<List<Refused>> answer = new CompletableFuture<>();
                answers.add(new Answer(Math.max(freeAt, totalFreeAt) + latency, numbers++, bytes, answer));
                bytesOnTheirWay += bytes;
                mostOnTheirWay = Math.max(mostOnTheirWay, bytesOnTheirWay);
                return answer;
            }

            @Override
            public Optional<StreamCommit> cut() {
                return Optional.empty();
            }

            @Override
            public void close() {
                // Nothing is open.
            }
        }
    }

    private static final class NoRefusals implements Refusals.Writer {
        @Override
        public void refused(EncodedRows rows, RowStream.Refused why) {
            throw new AssertionError(why.why());
        }

        @Override
        public void flush() {
            // There are none.
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }

    /** Requires that the number of streams in the last seconds differs from the final one by at most one. */
    private static void requireSettled(World world, int seconds) {
        List<Integer> settled = world.streams(seconds);
        int last = settled.get(settled.size() - 1);
        assertThat(settled).as(world.streamsBySecond.toString()).allMatch(streams -> Math.abs(streams - last) <= 1);
    }

    private static void requireBounded(World world) {
        assertThat(world.mostOnTheirWay).isLessThanOrEqualTo(64L << 20);
        assertThat(world.acknowledged).isPositive();
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void write_loadTimesTen_settlesWithEnoughStreams(long seed) throws Exception {
        World world = new World(seed, new StreamSpec.Writers(1, 64));
        world.load = 7 * MB;
        world.run(60);
        assertThat(world.streams(30)).as("one is enough").containsOnly(1);

        world.load = 70 * MB;
        world.run(90);

        requireSettled(world, 60);
        assertThat(world.streams(60)).as("seven are needed").allMatch(streams -> streams >= 7);
        requireBounded(world);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void write_answersGetSlow_settlesAndKeepsUp(long seed) throws Exception {
        World world = new World(seed, new StreamSpec.Writers(1, 64));
        world.load = 12 * MB;
        world.run(60);

        // Four streams carry too little, and eight carry more than the load: about 15 MB/s.
        world.latencyNanos = 1 * SECOND;
        world.run(90);

        requireSettled(world, 60);
        assertThat(world.backlog).as("is not left behind").isLessThan(30 * MB);
        requireBounded(world);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void write_quota_settlesWithoutStreamsThatDoNotPay(long seed) throws Exception {
        World world = new World(seed, new StreamSpec.Writers(1, 64));
        world.load = 60 * MB;
        world.run(60);
        int before = world.streamsBySecond.get(world.streamsBySecond.size() - 1);

        world.totalRate = 25 * MB;
        world.run(90);

        requireSettled(world, 60);
        assertThat(world.streamsBySecond.get(world.streamsBySecond.size() - 1)).isLessThanOrEqualTo(before + 1);
        requireBounded(world);

        world.totalRate = 1e15;
        world.run(90);
        requireSettled(world, 60);
        assertThat(world.streams(60)).as("six are needed").allMatch(streams -> streams >= 6);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void write_serviceAway_catchesUpInBoundedMemory(long seed) throws Exception {
        World world = new World(seed, new StreamSpec.Writers(1, 64));
        world.load = 7 * MB;
        world.run(60);

        world.awayUntil = world.now + 120 * SECOND;
        world.run(240);

        requireSettled(world, 30);
        assertThat(world.backlog).isLessThan(10 * MB);
        requireBounded(world);
    }

    @ParameterizedTest
    @ValueSource(ints = {50, 512})
    void write_fixedWriters_spreadAndBounded(int writers) throws Exception {
        StreamSpec.Writers whole = new StreamSpec.Writers(writers, writers);
        int streams = 0;
        for (int subtask = 0; subtask < 3; subtask++) {
            World world = new World(subtask, whole.of(subtask, 3));
            world.load = 1_000 * MB;
            world.latencyNanos = 5 * SECOND;
            world.run(30);
            assertThat(world.streams(20)).containsOnly(whole.of(subtask, 3).least());
            streams += world.streamsBySecond.get(world.streamsBySecond.size() - 1);
            requireBounded(world);
        }
        assertThat(streams).isEqualTo(writers);
    }
}
