package io.thalweg.jobs;

import io.thalweg.store.StoreException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Calls a store until it answers, or says what will not pass.
 *
 * <p><b>Threads.</b> As what it is made of.
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
     * @param random called in the thread that waits
     * @param refused receives each failure that may pass
     */
    public RetryPolicy(Supplier<? extends RandomGenerator> random, Pause pause, Consumer<StoreException> refused) {
        this.random = random;
        this.pause = pause;
        this.refused = refused;
    }

    /**
     * Calls for as long as it takes, ever more slowly; an interrupt ends it while it waits.
     *
     * @throws StoreException of another kind than {@link StoreException.Kind#PASSING}
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
            // Between half of it and all, so that those who failed together do not come back together.
            pause.sleep(random.get().nextLong(pauseMs / 2, pauseMs + 1));
            pauseMs = Math.min(LAST_PAUSE_MS, 2 * pauseMs);
        }
    }
}
