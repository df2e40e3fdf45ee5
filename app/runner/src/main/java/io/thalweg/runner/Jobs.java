package io.thalweg.runner;

import io.thalweg.jobs.StateVersionException;
import io.thalweg.jobs.block.Shards;
import io.thalweg.jobs.compute.BadEventException;
import io.thalweg.jobs.compute.IncompatibleViewException;
import io.thalweg.jobs.function.HungFunctionException;
import io.thalweg.jobs.ingest.deadletters.BadMessageException;
import io.thalweg.jobs.ingest.deadletters.TooManyBadException;
import io.thalweg.jobs.stream.LostRowsException;
import io.thalweg.jobs.table.OlderCheckpointException;
import java.io.IOException;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/** Starts and ends jobs, and explains in one line why one failed. */
public final class Jobs {
    private static final long CANCEL_SECONDS = 3;

    private Jobs() {}

    /** Checks {@code --parallelism}: at most the number of shards. */
    public static void requireParallelism(int parallelism) {
        if (parallelism < 1 || parallelism > Shards.COUNT) {
            throw UserError.usage(
                    "--parallelism must be 1 to %d, was %d".formatted(Shards.COUNT, parallelism),
                    "such as --parallelism 2");
        }
    }

    /**
     * Requires that a Flink cluster answers, before a job is sent to it.
     *
     * @param rest the cluster's REST API
     * @throws UserError if it does not answer
     */
    public static void requireCluster(URI rest) throws InterruptedException {
        ClusterJobs flink = new ClusterJobs(rest);
        try {
            Optional<String> unused = flink.running("");
        } catch (IOException e) {
            throw flink.unreachable(e);
        }
    }

    /** Starts a job; throws {@link #failure} if it cannot be started. */
    public static JobClient submit(StreamExecutionEnvironment environment, String name) {
        try {
            return environment.executeAsync(name);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure(e);
        } catch (Exception e) {
            throw failure(e);
        }
    }

    /** Cancels a job and waits briefly for its end. */
    public static void cancel(JobClient client) {
        try {
            client.cancel().get(CANCEL_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // The process ends anyway.
        }
    }

    /**
     * Returns the cause of a failure that helps the user: the first one that Flink did not add to report where the job
     * failed. Deeper causes are less specific: they report that a stream ended too early, but not of which file.
     */
    public static RuntimeException failure(@Nullable Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof IncompatibleViewException
                    || cause instanceof BadEventException
                    || cause instanceof BadMessageException
                    || cause instanceof TooManyBadException
                    || cause instanceof HungFunctionException
                    || cause instanceof OlderCheckpointException
                    || cause instanceof StateVersionException) {
                return UserError.failed(String.valueOf(cause.getMessage()), "").causedBy(cause);
            }
        }
        String message = failure == null ? "unknown" : rootCause(failure);
        if (isNamelessMachine(failure)) {
            return UserError.failed(
                            "Flink cannot resolve the host name of this machine: " + message,
                            "add the name to /etc/hosts, such as 127.0.0.1 NAME")
                    .causedBy(Objects.requireNonNull(failure));
        }
        return UserError.failed("the job failed: " + message, "the whole story is in the log, or run with --debug")
                .causedBy(failure == null ? new IllegalStateException(message) : failure);
    }

    /** Flink resolves the machine's host name, whatever addresses are configured. In some sandboxes, that fails. */
    private static boolean isNamelessMachine(@Nullable Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnknownHostException
                    && cause.getStackTrace().length > 0
                    && cause.getStackTrace()[0].getMethodName().equals("getLocalHost")) {
                return true;
            }
        }
        return false;
    }

    /** Whether a job failed because its output after the checkpoint that it resumed from already exists. */
    static boolean isRefusedCheckpoint(@Nullable Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof OlderCheckpointException || cause instanceof LostRowsException) {
                return true;
            }
        }
        return false;
    }

    /** Returns the message of the first cause that Flink did not add to report where the job failed. */
    static String rootCause(Throwable failure) {
        Throwable telling = failure;
        for (Throwable cause = failure; cause != null && !isTelling(telling); cause = cause.getCause()) {
            telling = cause;
        }
        String message = telling.getMessage();
        return message == null || message.isBlank() ? telling.getClass().getSimpleName() : message;
    }

    /** Whether an exception has a message of its own, which does not merely repeat its cause. */
    private static boolean isTelling(Throwable e) {
        String message = e.getMessage();
        Throwable cause = e.getCause();
        if (message == null || message.isBlank() || (cause != null && message.equals(cause.toString()))) {
            return false;
        }
        StackTraceElement[] thrownAt = e.getStackTrace();
        return thrownAt.length > 0 && !thrownAt[0].getClassName().startsWith("org.apache.flink.");
    }
}
