package io.thalweg.runner;

import java.util.function.IntSupplier;

/**
 * Ends the process on Ctrl-C or SIGTERM in an orderly way, with a given exit code instead of the signal's.
 *
 * <p>The JVM does not allow an exit code to be set once it is shutting down, so the hook halts it after the orderly end.
 */
public final class Interrupt {
    private final Thread hook;

    private Interrupt(Thread hook) {
        this.hook = hook;
    }

    /** Installs the hook. {@code end} must terminate. */
    public static Interrupt with(int exitCode, Runnable end) {
        return with(exitCode, () -> {
            end.run();
            return exitCode;
        });
    }

    /** Installs the hook. {@code end} returns the exit code, and must terminate. */
    static Interrupt with(IntSupplier end) {
        return with(1, end);
    }

    private static Interrupt with(int exitCodeOfFailure, IntSupplier end) {
        Thread hook = new Thread(
                () -> {
                    int exitCode = exitCodeOfFailure;
                    try {
                        exitCode = end.getAsInt();
                    } finally {
                        ProcessFolder.leave();
                        Runtime.getRuntime().halt(exitCode);
                    }
                },
                "interrupt");
        Runtime.getRuntime().addShutdownHook(hook);
        return new Interrupt(hook);
    }

    /** Removes the hook. If it is already running, waits for the end of the process. */
    public void disarm() throws InterruptedException {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            hook.join();
        }
    }
}
