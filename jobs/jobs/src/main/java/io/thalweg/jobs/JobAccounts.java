package io.thalweg.jobs;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the operators of a job in this process count, and what they share with the process that runs it: at most one object of each
 * type, such as {@link JobMetrics}. Operators are serialized, so they find these objects by the id of their job.
 *
 * <p><b>Lifecycle.</b> Objects are registered until {@link #close}. Whoever starts a job in this process closes its accounts once the
 * job has ended and its counts are reported; references that were obtained before stay valid. On a cluster, they live as long as the
 * process of the tasks.
 *
 * <p><b>Threads.</b> Safe.
 *
 * @param jobId the id that the process gave the job
 */
public record JobAccounts(String jobId) implements AutoCloseable {
    private static final Map<String, Map<Class<?>, Object>> JOBS = new ConcurrentHashMap<>();

    /** Returns the job's object of a type, created on first use. */
    public <T> T get(Class<T> type, Supplier<T> create) {
        return type.cast(objects().computeIfAbsent(type, missing -> create.get()));
    }

    /** Returns the job's object of a type; null if there is none. */
    public <T> @Nullable T find(Class<T> type) {
        return type.cast(JOBS.getOrDefault(jobId, Map.of()).get(type));
    }

    /** Registers the job's object of a type, before the job starts. */
    public <T> void put(Class<T> type, T object) {
        objects().put(type, object);
    }

    private Map<Class<?>, Object> objects() {
        return JOBS.computeIfAbsent(jobId, id -> new ConcurrentHashMap<>());
    }

    /** Returns the ids of the jobs with registered objects. */
    public static Set<String> registered() {
        return Set.copyOf(JOBS.keySet());
    }

    /** Removes all objects of the job. */
    @Override
    public void close() {
        JOBS.remove(jobId);
    }
}
