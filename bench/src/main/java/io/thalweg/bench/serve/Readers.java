package io.thalweg.bench.serve;

import java.util.concurrent.CompletableFuture;

/** A way to ask the server, with requests made beforehand. Safe to share. */
interface Readers extends AutoCloseable {
    /** How many different requests there are. */
    int requests();

    /** Sends one; what comes back is the number of bytes of the answer, or why there is none. */
    CompletableFuture<Integer> read(int request);

    @Override
    void close();
}
