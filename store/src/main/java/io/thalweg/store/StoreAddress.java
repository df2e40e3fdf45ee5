package io.thalweg.store;

import java.io.Serializable;
import java.time.Clock;

/** Where a store is: a value that travels with a job to wherever its tasks run, and opens the store there. */
@FunctionalInterface
public interface StoreAddress extends Serializable {
    /**
     * Opens the store, or joins those who have it open in this process; each result must be closed once by its user.
     *
     * @param clock decides what has expired; the one of the first to open counts
     * @throws StoreException if it cannot be opened
     */
    OnlineStore open(Clock clock);
}
