package io.thalweg.warehouse;

import java.io.Serializable;

/** A subscription to messages: a value that travels with the job and is opened where its tasks run. */
public interface PullAddress extends Serializable {
    /** Identifies the subscription, for people and in dead letters. */
    String name();

    /**
     * Opens a stream. It connects in the background; {@link PullStream#poll} reports a service that refuses or does not answer.
     *
     * @param arrived runs, on any thread, whenever {@link PullStream#poll} has something new: messages or a failure
     * @throws WarehouseException if the client cannot be set up, for example without credentials
     */
    PullStream open(Runnable arrived);
}
