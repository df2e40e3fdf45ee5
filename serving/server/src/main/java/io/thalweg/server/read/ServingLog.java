package io.thalweg.server.read;

import io.thalweg.model.view.FeatureView;

/**
 * Is offered the answers to reads of current rows, and may keep some.
 *
 * <p><b>Threads.</b> Called by the threads of reads before they answer, so it must not block.
 */
public interface ServingLog {
    /** Keeps nothing. */
    ServingLog NONE = (view, readAtMs, answer) -> {};

    /**
     * Offers an answer.
     *
     * @param readAtMs the time that the rules of the read were applied at, epoch ms
     */
    void offer(FeatureView view, long readAtMs, ReadAnswer answer);
}
