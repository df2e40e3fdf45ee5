package io.thalweg.cli.run;

import io.thalweg.cli.ProcessFolder;

/**
 * What to do on Ctrl-C or SIGTERM: an orderly end, and then this exit code instead of the signal's.
 *
 * <p>The JVM allows no exit code to be set once it is shutting down, so the hook halts it after the orderly end.
 */
final class Interrupt {
    private final Thread hook;

    private Interrupt(Thread hook) {
        this.hook = hook;
    }

    /** Arms the hook. {@code end} must return by itself. */
    static Interrupt with(int exitCode, Runnable end) {
        Thread hook = new Thread(
                () -> {
                    try {
                        end.run();
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
    void disarm() throws InterruptedException {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            hook.join();
        }
    }
}
