package io.thalweg.warehouse;

import java.io.Serializable;

/** The address of a subscription to messages. It is serialized with the job and opened where the job's tasks run. */
public interface PullAddress extends Serializable {
    /** The name of the subscription, for people and in dead letters. */
    String name();

    /**
     * Opens a stream. It connects in the background; {@link PullStream#poll} reports a service that refuses or does not respond.
     *
     * @param arrived runs, on any thread, whenever {@link PullStream#poll} has new messages or a failure to return
     * @throws WarehouseException if the client cannot be set up, for example without credentials
     */
    PullStream open(Runnable arrived);
}
