package io.thalweg.bench.load;

import java.util.concurrent.CompletableFuture;

/** A way to ask the server, with requests made beforehand. Safe to share. */
public interface Readers extends AutoCloseable {
    /** How many different requests there are. */
    int requests();

    /** Sends one; what comes back is the number of bytes of the answer, or why there is none. */
    CompletableFuture<Integer> read(int request);

    @Override
    void close();
}
