package io.thalweg.bench.stores;

import io.thalweg.bench.harness.Clone;
import io.thalweg.bench.harness.Contest;
import io.thalweg.bench.harness.Folders;
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
import java.util.function.Consumer;

/** An online store on this machine, empty at first, with the server that it needs. <b>Threads.</b> One. */
public interface StoreServer extends AutoCloseable {
    /** The project of all rows. */
    String PROJECT = "bench";

    /** Stores that need a server. */
    List<String> SERVED = List.of("redis", "cassandra");

    /** All stores. */
    List<String> ALL = List.of("rocksdb", "redis", "cassandra");

    /** A measurement with a store. */
    interface Work {
        /** Measures a store, which is empty and whose files are in a folder. */
        Contest with(StoreServer store, Path folder) throws Exception;
    }

    /**
     * Starts stores one after the other, each in its own folder, which is deleted when the work is done.
     *
     * @param missing receives why a store could not be started, one line each
     */
    static Contest each(List<String> names, Consumer<String> missing, Work work) throws Exception {
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
     * @throws IllegalStateException if its server does not start; the message gives the reason
     */
    static StoreServer start(String name, Path folder) throws IOException, InterruptedException {
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

    /** Thrown if a server needs something that this machine does not have. */
    final class NotStarted extends IllegalStateException {
        NotStarted(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** One of {@link #ALL}. */
    String name();

    /** The address to open it with, also from another process of this machine. */
    StoreAddress address();

    /** {@code store:} of a {@code thalweg.yaml} in its folder. */
    String yaml();

    /** Opens the store; the embedded one can be open only once at a time. */
    default OnlineStore open(Clock clock) {
        return address().open(clock);
    }

    /** The CPU time of the server so far; 0 for a store without one. */
    default double processorSeconds() throws IOException {
        return 0;
    }

    /** Deletes all data of the server; no store may be open. */
    default void clear() throws IOException {}

    /** Brings a written table into the form in which it is usually read, unless closing it does so already. */
    default void settle(String table) throws IOException {}

    @Override
    default void close() throws IOException {}

    /** The store that is embedded in the process that opens it. */
    record RocksDb(Path files) implements StoreServer {
        private static final String STORE = "store";

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
