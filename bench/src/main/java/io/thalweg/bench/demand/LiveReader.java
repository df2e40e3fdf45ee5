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
 * The process that reads while a view is computed, at a steady rate in an open loop. It does nothing else: in a process that also
 * checks millions of rows, garbage collections and compilations would delay the reads, and the server would seem slow.
 *
 * <p><b>Protocol.</b> It prints {@link #READY}, reads the time at which to end (epoch ms) as a line of its standard input, and
 * starts. It writes each read, and one answer a second of those that are compared, to the file that {@link LiveReads} reads.
 */
public final class LiveReader {
    /** These warm the process up within some hundred reads, rather than after the first bursts. */
    static final List<String> OPTIONS = List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    /** The line that it prints when it can start. */
    static final String READY = "ready";

    private static final long KEEP_NANOS = 1_000_000_000;
    private static final int KEPT = 700;

    /**
     * The order for the process.
     *
     * @param events that the view counts
     * @param compared the cities that are recounted
     * @param file for its results
     */
    record Order(Generator.Order events, Set<Integer> compared, int port, String view, double perSecond, String file) {}

    private final GrpcReaders server;
    private final DataOutputStream found;
    private final Deque<LiveReads.Answer> kept = new ArrayDeque<>();
    private long keptNanos;

    private LiveReader(GrpcReaders server, DataOutputStream found) {
        this.server = server;
        this.found = found;
    }

    /** Runs the {@link Order} in the argument. */
    @SuppressWarnings("SystemOut") // the process that started this one reads it
    public static void main(String[] args) throws IOException {
        Order order = Orders.read(args[0], Order.class);
        try (DataOutputStream found =
                new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(Path.of(order.file()))))) {
            ReadKeys keys = new ReadKeys(
                    order.events().cities(), order.compared(), order.events().seed());
            LiveReader reader = new LiveReader(keys.readers(order.port(), order.view()), found);
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
        long seed = order.events().seed();
        OpenLoop loop = new OpenLoop(new Kept(), order.perSecond(), seed, (dueNanos, nanos, failed) -> {
            write((dueNanos + wallNanos) / 1_000_000, nanos, failed);
        });
        loop.run((untilMs - System.currentTimeMillis()) / 1e3);
        server.close();
        loop.firstFailure()
                .ifPresent(why -> System.out.printf("%d reads failed, the first with %s%n", loop.failures(), why));
        writeKept();
    }

    /** Reads from the server and keeps some of the answers. */
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
    }

    private synchronized void keep(LiveReads.Answer answer) {
        long now = System.nanoTime();
        if (kept.isEmpty() || now - keptNanos >= KEEP_NANOS) {
            keptNanos = now;
            kept.addLast(answer);
            if (kept.size() > KEPT) {
                kept.removeFirst();
            }
        }
    }

    /** Writes each read when it ends, so that the heap does not grow with the length of a run. */
    private synchronized void write(long dueMs, long nanos, boolean failed) {
        try {
            found.writeBoolean(true);
            found.writeLong(dueMs);
            found.writeLong(nanos);
            found.writeBoolean(failed);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private synchronized void writeKept() throws IOException {
        found.writeBoolean(false);
        found.writeInt(kept.size());
        for (LiveReads.Answer answer : kept) {
            found.writeInt(answer.request());
            found.writeInt(answer.bytes().length);
            found.write(answer.bytes());
        }
    }
}
