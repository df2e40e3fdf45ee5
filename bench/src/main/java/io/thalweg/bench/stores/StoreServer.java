package io.thalweg.bench.stores;

import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Folders;
import io.thalweg.bench.suite.Clone;
import io.thalweg.store.FolderAddress;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** An online store of this machine, empty at first, with the server that it needs. <b>Threads.</b> One. */
public abstract class StoreServer implements AutoCloseable {
    /** The project of all rows. */
    public static final String PROJECT = "bench";

    /** Stores that need a server. */
    public static final List<String> SERVED = List.of("redis", "cassandra");

    /** All stores. */
    public static final List<String> ALL = List.of("rocksdb", "redis", "cassandra");

    /** What is measured with a store. */
    public interface Work {
        /** Uses a store, which is empty, and whose files are in a folder. */
        Contest with(StoreServer store, Path folder) throws Exception;
    }

    /**
     * Starts stores one after the other, each in a folder of its own that is deleted when the work is done.
     *
     * @param missing takes why a store could not be started, a line for each
     */
    public static Contest each(List<String> names, Consumer<String> missing, Work work) throws Exception {
        List<Contest> found = new ArrayList<>();
        for (String name : names) {
            Path folder = Files.createTempDirectory("thalweg-" + name);
            try (StoreServer store = start(name, folder)) {
                found.add(work.with(store, folder));
            } catch (NotStarted e) {
                missing.accept(e.getMessage());
            } finally {
                Folders.delete(folder);
            }
        }
        return Contest.all(found);
    }

    /**
     * Starts one of {@link #ALL}.
     *
     * @throws IllegalStateException if its server does not start; the message says why
     */
    public static StoreServer start(String name, Path folder) throws IOException, InterruptedException {
        return switch (name) {
            case "rocksdb" -> new RocksDb(folder.resolve(RocksDb.STORE));
            case "redis" -> RedisServer.start(folder);
            case "cassandra" -> cassandra(folder);
            default -> throw new IllegalArgumentException("there is no store " + name);
        };
    }

    private static StoreServer cassandra(Path folder) throws IOException {
        try {
            return CassandraNode.start(folder, Clone.cassandraJars());
        } catch (IllegalStateException | UncheckedIOException e) {
            throw new NotStarted("cassandra is not measured: " + e.getMessage(), e);
        }
    }

    /** A server needs what is not on every machine. */
    private static final class NotStarted extends IllegalStateException {
        NotStarted(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** One of {@link #ALL}. */
    public abstract String name();

    /** How it is opened, also by another process of this machine. */
    public abstract StoreAddress address();

    /** {@code store:} of a {@code thalweg.yaml} in its folder. */
    public abstract String yaml();

    /** Opens it; the embedded one once at a time. */
    public final OnlineStore open(Clock clock) {
        return address().open(clock);
    }

    /** Processor time of the server so far; 0 for a store without one. */
    public double processorSeconds() throws IOException {
        return 0;
    }

    /** Deletes all that the server holds, while no store is open. */
    public void clear() throws IOException {}

    /** Brings a table that was written into the form in which it is read most of the time, where closing it does not. */
    public void settle(String table) throws IOException {}

    /** What reads of a table took so far, beyond their latency; nothing where the server does not report it. */
    public Map<String, Number> touched(String table) throws IOException {
        return Map.of();
    }

    @Override
    public void close() throws IOException {}

    /** Embedded in the process that opens it. */
    private static final class RocksDb extends StoreServer {
        private static final String STORE = "store";

        private final Path files;

        RocksDb(Path files) {
            this.files = files;
        }

        @Override
        public String name() {
            return "rocksdb";
        }

        @Override
        public StoreAddress address() {
            return new FolderAddress(files.toString());
        }

        @Override
        public String yaml() {
            return "{path: " + STORE + "}";
        }
    }
}
