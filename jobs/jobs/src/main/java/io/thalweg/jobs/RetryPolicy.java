package io.thalweg.jobs;

import io.thalweg.store.StoreException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Retries calls of a store until they succeed or fail permanently.
 *
 * <p><b>Threads.</b> As safe as its collaborators.
 */
public final class RetryPolicy {
    private static final long FIRST_PAUSE_MS = 50;
    private static final long LAST_PAUSE_MS = 2_000;

    /** How to wait between two attempts. */
    public interface Pause {
        /** Waits. */
        void sleep(long ms) throws InterruptedException;
    }

    private final Supplier<? extends RandomGenerator> random;
    private final Pause pause;
    private final Consumer<StoreException> refused;

    /**
     * @param random called in the waiting thread
     * @param refused receives each transient failure
     */
    public RetryPolicy(Supplier<? extends RandomGenerator> random, Pause pause, Consumer<StoreException> refused) {
        this.random = random;
        this.pause = pause;
        this.refused = refused;
    }

    /**
     * Retries a call without limit, with increasing delays. An interrupt ends the wait between two attempts.
     *
     * @throws StoreException of a kind other than {@link StoreException.Kind#PASSING}
     */
    public void call(Runnable call) throws InterruptedException {
        long pauseMs = FIRST_PAUSE_MS;
        while (true) {
            try {
                call.run();
                return;
            } catch (StoreException e) {
                if (e.kind() != StoreException.Kind.PASSING) {
                    throw e;
                }
                refused.accept(e);
            }
            // Between half the pause and all of it, so that callers that failed together do not retry together.
            pause.sleep(random.get().nextLong(pauseMs / 2, pauseMs + 1));
            pauseMs = Math.min(LAST_PAUSE_MS, 2 * pauseMs);
        }
    }
}
