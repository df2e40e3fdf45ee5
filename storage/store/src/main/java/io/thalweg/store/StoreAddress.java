package io.thalweg.store;

import java.io.Serializable;
import java.time.Clock;

/** The address of a store: a value that is serialized with a job and opens the store wherever its tasks run. */
@FunctionalInterface
public interface StoreAddress extends Serializable {
    /**
     * Opens the store, or shares the one already open in this process. Each caller must close its result once.
     *
     * @param clock decides what has expired; the clock of the first caller counts
     * @throws StoreException if it cannot be opened
     */
    OnlineStore open(Clock clock);
}
