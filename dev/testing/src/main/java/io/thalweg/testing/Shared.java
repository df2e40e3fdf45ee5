package io.thalweg.testing;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Real components that all tests of a process share, because they take seconds to start: one of each class. They run until the
 * process ends. Tests use names of their own in them, and a test that stops or breaks its component starts one itself.
 *
 * <p>A JVM that Failsafe uses for several classes of tests executes each of them as a test plan of its own, so a resource of
 * JUnit's root store would end with each class.
 *
 * <p><b>Threads.</b> Safe to share.
 */
public final class Shared {
    private static final Map<Class<?>, AutoCloseable> RUNNING = new HashMap<>();

    private Shared() {}

    /** Returns the component of this process; the first call starts it. */
    public static synchronized <T extends AutoCloseable> T get(Class<T> type, Supplier<T> start) {
        AutoCloseable running = RUNNING.get(type);
        if (running == null) {
            T started = start.get();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> close(started), "end-of-" + type.getSimpleName()));
            RUNNING.put(type, started);
            return started;
        }
        return type.cast(running);
    }

    private static void close(AutoCloseable component) {
        try {
            component.close();
        } catch (Exception e) {
            System.err.println(component + " could not be closed: " + e);
        }
    }
}
