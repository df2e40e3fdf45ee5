package io.thalweg.bench.qalm;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Messages;
import io.thalweg.bench.load.GrpcReaders;
import io.thalweg.bench.qalm.Tally.End;
import io.thalweg.bench.qalm.TurnMeter.TurnSchedule;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * The callers: an open loop. The times when calls are due are drawn independently of the answers, and latencies start at these
 * times. Reports each {@link Turn} as it ends, then the outcome of the calls.
 */
public final class LoadProcess {
    private static final double SECOND = 1e9;
    private static final long START_NANOS = 500_000_000;
    /** The shortest sleep: calls that are due within it are sent together. */
    private static final long NAP_NANOS = 200_000;

    private static final double SIGMA = 0.5;
    private static final long LATE_NANOS = 5_000_000;

    private final Experiment experiment;
    private final double warmUp;
    private final TurnSchedule turns;
    private final List<List<ManagedChannel>> channels = new ArrayList<>();
    private final Tally tally;
    private final Histogram lag = new Histogram(60_000_000, 3);
    private final AtomicLong open = new AtomicLong();
    private int sent;
    private int sentThisTurn;
    private int turn;
    private long zeroNanos;

    /**
     * The load to send.
     *
     * @param ports of the services, which take turns
     */
    record Order(List<Integer> ports, QalmRun.Setup setup, double turnSeconds) {}

    /** A turn that has ended, and how many calls were sent in it. Turns of the warm-up have negative numbers. */
    record Turn(int number, int calls) {}

    private LoadProcess(Order order) {
        experiment = order.setup().made();
        warmUp = order.setup().warmUpSeconds();
        turns = new TurnSchedule(order.ports().size(), order.turnSeconds());
        turn = turns.at(-warmUp) - 1; // ends at once, so that the code that reports turns is warm when it matters
        tally = new Tally(experiment);
        order.ports().forEach(port -> channels.add(GrpcReaders.channels(port)));
    }

    /** A stream with the time when its next call is due, in seconds. */
    private static final class Source {
        final Experiment.Stream stream;
        final MethodDescriptor<byte[], byte[]> method;
        final SplittableRandom random;
        double due;

        Source(Experiment.Stream stream, long seed) {
            this.stream = stream;
            method = Wire.method(stream.method());
            random = new SplittableRandom(seed);
        }

        void next() {
            double rate = stream.perSecond().applyAsDouble(due);
            due += -Math.log(1 - random.nextDouble()) / rate;
        }

        long serviceMicros() {
            double lognormal = Math.exp(SIGMA * random.nextGaussian() - SIGMA * SIGMA / 2);
            return (long) (stream.serviceMs() * 1e3 * lognormal);
        }
    }

    /** Runs the {@link Order} in the argument. */
    public static void main(String[] args) throws Exception {
        Order order = Messages.read(args[0], Order.class);
        new LoadProcess(order).run(order.setup().seed());
        System.exit(0);
    }

    private void run(long seed) throws InterruptedException, JsonProcessingException {
        PriorityQueue<Source> sources = new PriorityQueue<>(Comparator.comparingDouble(source -> source.due));
        SplittableRandom seeds = new SplittableRandom(seed);
        for (Experiment.Stream stream : experiment.streams()) {
            Source source = new Source(stream, seeds.nextLong());
            source.due = -warmUp;
            source.next();
            sources.add(source);
        }
        send(sources);
        awaitAnswers();
        Figures figures = tally.figures()
                .put("send_lag_p99_ms", lag.getValueAtPercentile(99) / 1e3)
                .put("calls_unanswered", open.get());
        Messages.score(figures.score(""));
    }

    private void send(PriorityQueue<Source> sources) {
        zeroNanos = System.nanoTime() + START_NANOS + (long) (warmUp * SECOND);
        while (sources.element().due < experiment.seconds()) {
            Source next = sources.remove();
            takeTurn(turns.at(next.due));
            awaitDue(next.due);
            open.incrementAndGet();
            call(next);
            next.next();
            sources.add(next);
        }
        takeTurn(turn + 1);
    }

    private void takeTurn(int next) {
        if (next != turn) {
            Messages.progress(Messages.line(new Turn(turn, sentThisTurn)));
            turn = next;
            sentThisTurn = 0;
        }
        sentThisTurn++;
    }

    private void awaitDue(double due) {
        long at = nanos(due);
        long left = at - System.nanoTime();
        while (left > 0) {
            LockSupport.parkNanos(Math.max(left, NAP_NANOS));
            left = at - System.nanoTime();
        }
        if (due >= 0) {
            lag.recordValue(Math.min(60_000_000, -left / 1_000));
        }
    }

    private long nanos(double second) {
        return zeroNanos + (long) (second * SECOND);
    }

    private void call(Source source) {
        double due = source.due;
        boolean sentLate = System.nanoTime() - nanos(due) > LATE_NANOS;
        long patience = nanos(due) + TimeUnit.MILLISECONDS.toNanos(source.stream.timeoutMs()) - System.nanoTime();
        Metadata headers = new Metadata();
        headers.put(Wire.CALLER, source.stream.caller());
        ManagedChannel channel = channels.get(turns.system(due)).get(sent++ % GrpcReaders.CHANNELS);
        ClientCall<byte[], byte[]> call = channel.newCall(
                source.method, CallOptions.DEFAULT.withDeadlineAfter(Math.max(1, patience), TimeUnit.NANOSECONDS));
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        long micros = (System.nanoTime() - nanos(due)) / 1_000;
                        tally.add(new Tally.Call(source.stream.caller(), due, end(status), micros, sentLate));
                        open.decrementAndGet();
                    }
                },
                headers);
        call.request(2);
        call.sendMessage(Wire.micros(source.serviceMicros()));
        call.halfClose();
    }

    private static End end(Status status) {
        return switch (status.getCode()) {
            case OK -> End.OK;
            case RESOURCE_EXHAUSTED, UNAVAILABLE -> End.REFUSED;
            case DEADLINE_EXCEEDED, CANCELLED -> End.LATE;
            default -> End.FAILED;
        };
    }

    /** Waits for the answers: every call has a deadline, so half a minute more suffices. */
    private void awaitAnswers() throws InterruptedException {
        int most = experiment.streams().stream()
                .mapToInt(Experiment.Stream::timeoutMs)
                .max()
                .orElse(0);
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(most) + 30_000_000_000L;
        while (open.get() > 0 && System.nanoTime() - until < 0) {
            Thread.sleep(50);
        }
    }
}
