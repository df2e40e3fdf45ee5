package io.thalweg.bench.demand;

import io.thalweg.bench.harness.Orders;
import io.thalweg.bench.load.GrpcReaders;
import io.thalweg.bench.load.OpenLoop;
import io.thalweg.bench.load.Readers;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The process that reads while a view is computed, at a steady rate in an open loop. It has nothing else to do: pauses and compilers of a
 * process that checks millions of rows meanwhile would be taken for latencies of the server. It keeps an answer a second of
 * those that are compared. A line of its standard input starts it: the time at which it ends, epoch ms. What it finds goes into a file, which
 * {@link LiveReads} reads.
 */
public final class LiveReader {
    /** It is warm after some hundred reads, rather than after the first bursts. */
    static final List<String> OPTIONS = List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    /** It prints this line when it can start. */
    static final String READY = "ready";

    private static final long KEEP_NANOS = 1_000_000_000;
    private static final int KEPT = 700;

    /**
     * What it is to do.
     *
     * @param compared the cities that are recounted
     * @param file for what it finds
     */
    record Order(
            Load load,
            int hotCity,
            double hotFactor,
            Set<Integer> compared,
            long seed,
            int port,
            String view,
            double perSecond,
            String file) {
        ReadKeys keys() {
            return new ReadKeys(new Cities(load, hotCity, hotFactor), compared, seed);
        }
    }

    private final GrpcReaders server;
    private final DataOutputStream found;
    private final Deque<LiveReads.Answer> kept = new ArrayDeque<>();
    private long keptNanos;

    private LiveReader(GrpcReaders server, DataOutputStream found) {
        this.server = server;
        this.found = found;
    }

    /** Reads; the argument is an {@link Order}. */
    @SuppressWarnings("SystemOut") // the process that started this one reads it
    public static void main(String[] args) throws IOException {
        Order order = Orders.read(args[0], Order.class);
        try (DataOutputStream found =
                new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(Path.of(order.file()))))) {
            LiveReader reader = new LiveReader(order.keys().readers(order.port(), order.view()), found);
            System.out.println(READY);
            String untilMs = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
            if (untilMs != null) {
                reader.run(order, Long.parseLong(untilMs));
            }
        }
    }

    @SuppressWarnings("SystemOut") // the process that started this one reads it
    private void run(Order order, long untilMs) throws IOException {
        long wallNanos = System.currentTimeMillis() * 1_000_000 - System.nanoTime();
        OpenLoop loop = new OpenLoop(new Kept(), order.perSecond(), order.seed(), (dueNanos, nanos, failed) -> {
            write((dueNanos + wallNanos) / 1_000_000, nanos, failed);
        });
        loop.run((untilMs - System.currentTimeMillis()) / 1e3);
        server.close();
        loop.firstFailure()
                .ifPresent(why -> System.out.printf("%d reads failed, the first with %s%n", loop.failures(), why));
        writeKept();
    }

    /** The server, some of whose answers are kept. */
    private final class Kept implements Readers {
        @Override
        public int requests() {
            return server.requests();
        }

        @Override
        public CompletableFuture<byte[]> read(int request) {
            return server.read(request).thenApply(bytes -> {
                if (request < ReadKeys.COMPARED_REQUESTS) {
                    keep(new LiveReads.Answer(request, bytes));
                }
                return bytes;
            });
        }

        @Override
        public void close() {
            server.close();
        }
    }

    private void keep(LiveReads.Answer answer) {
        synchronized (kept) {
            long now = System.nanoTime();
            if (kept.isEmpty() || now - keptNanos >= KEEP_NANOS) {
                keptNanos = now;
                kept.addLast(answer);
                if (kept.size() > KEPT) {
                    kept.removeFirst();
                }
            }
        }
    }

    /** As it ends, so that a reader of days needs no memory for it. */
    private void write(long dueMs, long nanos, boolean failed) {
        try {
            synchronized (found) {
                found.writeBoolean(true);
                found.writeLong(dueMs);
                found.writeLong(nanos);
                found.writeBoolean(failed);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void writeKept() throws IOException {
        synchronized (found) {
            found.writeBoolean(false);
            found.writeInt(kept.size());
            for (LiveReads.Answer answer : kept) {
                found.writeInt(answer.request());
                found.writeInt(answer.bytes().length);
                found.write(answer.bytes());
            }
        }
    }
}
