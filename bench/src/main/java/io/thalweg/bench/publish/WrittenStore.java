package io.thalweg.bench.publish;

import io.thalweg.bench.advertising.RedisServer;
import io.thalweg.bench.layouts.CassandraNode;
import io.thalweg.store.StoreAddress;
import io.thalweg.store.cassandra.CassandraAddress;
import io.thalweg.store.redis.RedisAddress;
import java.io.IOException;
import java.nio.file.Path;

/** A store that rows are written to, with the server that it needs. <b>Threads.</b> One. */
interface WrittenStore extends AutoCloseable {
    /** How it is opened, also by another process of this machine. */
    StoreAddress address();

    /** What it is, for people. */
    String text() throws IOException;

    /** Of the server's threads, so far. */
    double processorSeconds() throws IOException;

    /** Deletes all that it holds, while it is not open. */
    void clear() throws IOException;

    @Override
    void close() throws IOException;

    /**
     * Starts a server, empty.
     *
     * @param name {@code redis} or {@code cassandra}
     * @param folder for its files
     * @param jars of Cassandra's server
     * @throws IllegalStateException if it does not start; the message says why
     */
    static WrittenStore start(String name, Path folder, Path jars) throws IOException, InterruptedException {
        return name.equals("redis")
                ? new Redis(RedisServer.start(folder))
                : new Cassandra(CassandraNode.start(folder, jars));
    }

    /** A server in memory. */
    record Redis(RedisServer server) implements WrittenStore {
        @Override
        public StoreAddress address() {
            return new RedisAddress(server.uri().toString(), server.uri(), "bench");
        }

        @Override
        public String text() throws IOException {
            return "Redis " + server.version();
        }

        @Override
        public double processorSeconds() throws IOException {
            return server.processorSeconds();
        }

        @Override
        public void clear() throws IOException {
            server.clear();
        }

        @Override
        public void close() {
            server.close();
        }
    }

    /** One node. */
    record Cassandra(CassandraNode node) implements WrittenStore {
        @Override
        public StoreAddress address() {
            return new CassandraAddress(node.where());
        }

        @Override
        public String text() {
            return "Cassandra " + node.version();
        }

        @Override
        public double processorSeconds() {
            return node.processorSeconds();
        }

        @Override
        public void clear() {
            node.clear();
        }

        @Override
        public void close() throws IOException {
            node.close();
        }
    }
}
