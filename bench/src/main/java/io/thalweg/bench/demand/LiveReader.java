package io.thalweg.bench.demand;

import io.thalweg.api.v1.ReadFeaturesRequest;
import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Messages;
import io.thalweg.bench.load.GrpcReaders;
import io.thalweg.bench.load.OpenLoop;
import io.thalweg.bench.load.Readers;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/**
 * The process that reads while a view is computed, at a steady rate in an open loop. It does nothing else: in a process that also
 * checks millions of rows, garbage collections and compilations would delay the reads, and the server would seem slow.
 *
 * <p><b>Protocol.</b> It prints {@link #READY}, reads the time at which to end (epoch ms) as a line of its standard input, and
 * starts. It writes a line to its file for each read, {@code DUE_MS NANOS FAILED}, and finally one for an answer a second of
 * those that are compared, {@code REQUEST BASE64}.
 */
public final class LiveReader {
    /** These options warm the process up within some hundred reads, rather than after the first bursts. */
    static final Child.Program PROGRAM =
            Child.Program.of(LiveReader.class, "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

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
    record Order(Generator.Order events, Set<Integer> compared, int port, String view, double perSecond, Path file) {}

    private final GrpcReaders server;
    private final BufferedWriter found;
    private final Deque<String> kept = new ArrayDeque<>();
    private long keptNanos;

    private LiveReader(GrpcReaders server, BufferedWriter found) {
        this.server = server;
        this.found = found;
    }

    /** Runs the {@link Order} in the argument. */
    public static void main(String[] args) throws IOException {
        Order order = Messages.read(args[0], Order.class);
        try (BufferedWriter found = Files.newBufferedWriter(order.file())) {
            ReadKeys keys = new ReadKeys(
                    order.events().cities(), order.compared(), order.events().seed());
            LiveReader reader = new LiveReader(keys.readers(order.port(), order.view()), found);
            Messages.say(READY);
            String untilMs = Messages.input().readLine();
            if (untilMs != null) {
                reader.run(order, Long.parseLong(untilMs));
            }
        }
    }

    private void run(Order order, long untilMs) throws IOException {
        long wallNanos = System.currentTimeMillis() * 1_000_000 - System.nanoTime();
        long seed = order.events().seed();
        OpenLoop loop = new OpenLoop(new Kept(), order.perSecond(), seed, (dueNanos, nanos, failed) -> {
            write("%d %d %s".formatted((dueNanos + wallNanos) / 1_000_000, nanos, failed));
        });
        loop.run((untilMs - System.currentTimeMillis()) / 1e3);
        server.close();
        loop.firstFailure()
                .ifPresent(
                        why -> Messages.progress("%d reads failed, the first with %s".formatted(loop.failures(), why)));
        kept.forEach(this::write);
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
                    keep(request, bytes);
                }
                return bytes;
            });
        }
    }

    private synchronized void keep(int request, byte[] answer) {
        long now = System.nanoTime();
        if (kept.isEmpty() || now - keptNanos >= KEEP_NANOS) {
            keptNanos = now;
            kept.addLast(request + " " + Base64.getEncoder().encodeToString(answer));
            if (kept.size() > KEPT) {
                kept.removeFirst();
            }
        }
    }

    /** Writes each read when it ends, so that the heap does not grow with the length of a run. */
    private synchronized void write(String line) {
        try {
            found.write(line + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The requests of live reads, of 100 keys each. The first tenth is for cells of the cities that are recounted, the others are for
     * cells of any city, drawn as riders are. The same seed draws the same requests in every process.
     */
    static final class ReadKeys {
        /** The number of keys of a request. */
        static final int KEYS = 100;

        private static final int REQUESTS = 2_000;
        /** The number of requests, at the beginning, for cities that are recounted. */
        static final int COMPARED_REQUESTS = REQUESTS / 10;

        private final List<List<Recount.Key>> requests = new ArrayList<>();

        /** Draws the requests. */
        ReadKeys(Cities cities, Set<Integer> compared, long seed) {
            SplittableRandom random = new SplittableRandom(seed);
            List<Cities.Zone> some = cities.zones().stream()
                    .filter(zone -> compared.contains(zone.city()))
                    .toList();
            for (int i = 0; i < REQUESTS; i++) {
                List<Recount.Key> each = new ArrayList<>();
                for (int k = 0; k < KEYS; k++) {
                    Cities.Zone zone = i < COMPARED_REQUESTS
                            ? some.get(random.nextInt(some.size()))
                            : cities.zones().get(cities.zoneOf(random.nextInt()));
                    each.add(new Recount.Key(
                            zone.cells()[Cities.placeOf(zone, random.nextDouble())], Cities.product(zone.product())));
                }
                requests.add(each);
            }
        }

        List<Recount.Key> of(int request) {
            return requests.get(request);
        }

        /** Connects to a server that answers them. */
        GrpcReaders readers(int port, String view) {
            return new GrpcReaders(
                    port, requests.stream().map(keys -> request(view, keys)).toList());
        }

        private static ReadFeaturesRequest request(String view, List<Recount.Key> keys) {
            return GrpcReaders.request(
                    view,
                    keys.stream()
                            .map(key -> Map.of("cell", Long.toHexString(key.cell()), "product", key.product()))
                            .toList());
        }
    }
}
