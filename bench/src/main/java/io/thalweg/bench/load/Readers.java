package io.thalweg.bench.load;

import java.util.concurrent.CompletableFuture;

/** A way to ask the server, with requests made beforehand. Safe to share. */
public interface Readers extends AutoCloseable {
    /** How many different requests there are. */
    int requests();

    /** Sends one; what comes back is the answer, or why there is none. It is cancelled if there is nothing to be asked any more. */
    CompletableFuture<byte[]> read(int request);

    /** Ends its connections; does nothing where it has none. */
    @Override
    default void close() {}
}
