package io.thalweg.jobs.function;

import java.lang.reflect.InvocationTargetException;
import java.nio.channels.ClosedByInterruptException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A failure that a function itself caused. */
record Failure(Throwable cause) {
    private static final int LONGEST = 1_000;

    /** As {@link #of(Throwable, BooleanSupplier)}, but treats every interrupt as the cancellation of the task. */
    static Failure of(Throwable thrown) {
        return of(thrown, () -> true);
    }

    /**
     * Classifies an exception thrown by a call.
     *
     * @param isCancelled whether the task is being cancelled, which interrupts calls; otherwise an interrupt is the function's failure
     * @throws Error an error of the JVM, such as an {@link OutOfMemoryError}
     * @throws InterruptedCallException if the call was interrupted because the task is being cancelled
     */
    static Failure of(Throwable thrown, BooleanSupplier isCancelled) {
        Throwable cause =
                thrown instanceof InvocationTargetException && thrown.getCause() != null ? thrown.getCause() : thrown;
        if (cause instanceof VirtualMachineError error && !(cause instanceof StackOverflowError)) {
            throw error;
        }
        if (isInterruption(cause) && isCancelled.getAsBoolean()) {
            Thread.currentThread().interrupt();
            throw new InterruptedCallException(cause);
        }
        return new Failure(cause);
    }

    private static boolean isInterruption(Throwable thrown) {
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            if (each instanceof InterruptedException || each instanceof ClosedByInterruptException) {
                return true;
            }
        }
        return false;
    }

    /** Reports that the task is being cancelled; the event is not bad. */
    static final class InterruptedCallException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        InterruptedCallException(Throwable cause) {
            super("a call of the function was interrupted", cause);
        }
    }

    /** The exception, its message and the location in the function that threw it. */
    String text() {
        return text(cause);
    }

    /** Advice for the user; may be empty. */
    String advice() {
        return advice(cause);
    }

    static String text(Throwable thrown) {
        StackTraceElement frame = ownFrame(thrown);
        String text = shown(thrown) + (frame == null ? "" : " at " + frame);
        Throwable cause = thrown.getCause();
        return cause == null ? text : text + ", caused by " + shown(cause);
    }

    /** Guards against exceptions from user code, because {@code toString} may be overridden. */
    private static String shown(Throwable thrown) {
        String what;
        try {
            what = String.valueOf(thrown);
        } catch (RuntimeException | StackOverflowError e) {
            what = thrown.getClass().getName();
        }
        return what.length() <= LONGEST ? what : what.substring(0, LONGEST) + "…";
    }

    private static @Nullable StackTraceElement ownFrame(Throwable thrown) {
        for (StackTraceElement frame : thrown.getStackTrace()) {
            String name = frame.getClassName();
            if (!name.startsWith("java.") && !name.startsWith("jdk.") && !name.startsWith("io.thalweg.")) {
                return frame;
            }
        }
        return null;
    }

    static String advice(Throwable thrown) {
        if (thrown instanceof UnsupportedClassVersionError) {
            return "; compile it for Java " + Runtime.version().feature() + " or older";
        }
        return thrown instanceof LinkageError
                ? "; a function sees its own jars and the JDK: add the jar that has the class to transform.jars"
                : "";
    }
}
