package io.thalweg.runner;

import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Handles the signals that end a process, before the JVM begins to. Once it has, libraries close what an orderly end still needs: Flink its
 * files of jobs, Iceberg the threads that commit.
 *
 * <p>The JDK's class for signals exists on every JVM that Thalweg supports, but has no API that compilers accept without warnings, so it is
 * found by name. A JVM without it, or started with {@code -Xrs}, ends by its shutdown hooks.
 *
 * <p><b>Threads.</b> Safe.
 */
final class Signals {
    private static final List<String> ENDING = List.of("INT", "TERM", "HUP");

    /** The handlers that were replaced, by signal. */
    private final Map<Object, Object> replaced = new LinkedHashMap<>();

    private Signals() {}

    /** Runs an action, on a thread of the JVM, at the next signal that would end the process. A signal that is ignored stays so. */
    static Signals handle(Runnable action) {
        Signals signals = new Signals();
        for (String name : ENDING) {
            try {
                signals.handle(name, action);
            } catch (ReflectiveOperationException | RuntimeException e) {
                // The JVM keeps this signal for itself; its shutdown hooks follow.
            }
        }
        return signals;
    }

    private void handle(String name, Runnable action) throws ReflectiveOperationException {
        Class<?> signalType = Class.forName("sun.misc.Signal");
        Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
        Object signal = signalType.getConstructor(String.class).newInstance(name);
        Object handler = Proxy.newProxyInstance(
                handlerType.getClassLoader(), new Class<?>[] {handlerType}, (proxy, method, arguments) -> {
                    if (method.getDeclaringClass() == Object.class) {
                        return method.getName().equals("equals")
                                ? proxy == arguments[0]
                                : method.getName().equals("hashCode") ? System.identityHashCode(proxy) : "ending";
                    }
                    action.run();
                    return null;
                });
        Object before = signalType.getMethod("handle", signalType, handlerType).invoke(null, signal, handler);
        if (before == handlerType.getField("SIG_IGN").get(null)) {
            // A shell ignores Ctrl-C for jobs in the background.
            var unused = signalType.getMethod("handle", signalType, handlerType).invoke(null, signal, before);
        } else {
            replaced.put(signal, before);
        }
    }

    /** Restores the handlers from before. */
    void restore() {
        replaced.forEach((signal, before) -> {
            try {
                Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
                var unused = signal.getClass()
                        .getMethod("handle", signal.getClass(), handlerType)
                        .invoke(null, signal, before);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        });
    }
}
