package io.thalweg.bench.load;

import java.util.concurrent.CompletableFuture;

/** A way to read from the server, with requests that are created in advance. Safe to share. */
public interface Readers extends AutoCloseable {
    /** The number of different requests. */
    int requests();

    /** Sends a request and returns its answer or failure. The result is cancelled if there is nothing left to read from. */
    CompletableFuture<byte[]> read(int request);

    /** Closes its connections, if it has any. */
    @Override
    default void close() {}
}
