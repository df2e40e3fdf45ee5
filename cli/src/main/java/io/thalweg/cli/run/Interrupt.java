package io.thalweg.cli.run;

import io.thalweg.cli.ProcessFolder;
import java.util.function.IntSupplier;

/**
 * What to do on Ctrl-C or SIGTERM: an orderly end, and then this exit code instead of the signal's.
 *
 * <p>The JVM allows no exit code to be set once it is shutting down, so the hook halts it after the orderly end.
 */
public final class Interrupt {
    private final Thread hook;

    private Interrupt(Thread hook) {
        this.hook = hook;
    }

    /** Arms the hook. {@code end} must return by itself. */
    public static Interrupt with(int exitCode, Runnable end) {
        return with(exitCode, () -> {
            end.run();
            return exitCode;
        });
    }

    /** Arms the hook; {@code end} returns the exit code, and must do so by itself. */
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

    /** Takes the hook away, unless it runs already: then waits for the end it brings. */
    public void disarm() throws InterruptedException {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            hook.join();
        }
    }
}
