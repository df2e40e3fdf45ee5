package io.thalweg.runner;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntSupplier;

/**
 * Ends the process on Ctrl-C or SIGTERM in an orderly way, with a given exit code instead of the signal's.
 *
 * <p>The orderly end runs before the JVM begins to shut down, because libraries close with it what the end still needs. If the JVM ends in
 * another way, the end is a shutdown hook. Either way it runs once and halts the process, because an exit code can no longer be set then.
 */
public final class Interrupt {
    private final AtomicBoolean begun = new AtomicBoolean();
    private final Thread hook;
    private final Signals signals;

    private Interrupt(int exitCodeOfFailure, IntSupplier end) {
        Runnable once = () -> end(exitCodeOfFailure, end);
        hook = new Thread(once, "interrupt");
        Runtime.getRuntime().addShutdownHook(hook);
        signals = Signals.handle(() -> new Thread(once, "interrupt").start());
    }

    /** Installs the handlers. {@code end} must terminate. */
    public static Interrupt with(int exitCode, Runnable end) {
        return new Interrupt(exitCode, () -> {
            end.run();
            return exitCode;
        });
    }

    /**
     * Installs the handlers for work that ends soon after it is stopped.
     *
     * @param stop stops it
     * @param over counted down when it has ended, and nothing half-done is left
     */
    static Interrupt with(int exitCode, Runnable stop, CountDownLatch over) {
        return with(exitCode, () -> {
            stop.run();
            try {
                over.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** Installs the handlers. {@code end} returns the exit code, and must terminate. */
    static Interrupt with(IntSupplier end) {
        return new Interrupt(1, end);
    }

    private void end(int exitCodeOfFailure, IntSupplier end) {
        if (!begun.compareAndSet(false, true)) {
            return;
        }
        int exitCode = exitCodeOfFailure;
        try {
            exitCode = end.getAsInt();
        } finally {
            ProcessFolder.leave();
            Runtime.getRuntime().halt(exitCode);
        }
    }

    /** Removes the handlers. If the end has begun, waits for the end of the process. */
    public void disarm() throws InterruptedException {
        signals.restore();
        if (begun.get() || !isRemoved()) {
            new CountDownLatch(1).await();
        }
    }

    private boolean isRemoved() {
        try {
            return Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            return false; // the JVM is ending, and the hook is running
        }
    }
}
