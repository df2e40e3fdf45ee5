package io.thalweg.server.telemetry;

import io.thalweg.qalm.Call;
import io.thalweg.qalm.Observer;
import io.thalweg.qalm.Outcome;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How long the calls of the last 10 to 20 s waited and took, by endpoint and caller: for dashboards.
 *
 * <p><b>Units.</b> Percentiles are in milliseconds, off by 12.5 % at most. <b>Missing data.</b> NaN where there was no call.
 * Refused calls are not included. <b>Threads.</b> Safe. Callers beyond the first {@value #CALLERS_MAX} of an endpoint count only
 * towards the endpoint.
 */
public final class RecentTimes implements Observer {
    private static final int CALLERS_MAX = 100;

    private final LongSupplier nanoTime;
    private final ConcurrentHashMap<String, Endpoint> endpoints = new ConcurrentHashMap<>();

    public RecentTimes(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** The percentiles of a distribution of {@code count} calls. */
    public record Percentiles(long count, double p50Ms, double p90Ms, double p99Ms) {
        static final Percentiles NONE = new Percentiles(0, Double.NaN, Double.NaN, Double.NaN);
    }

    private static final class Endpoint {
        final Window waited = new Window();
        final Window taken = new Window();
        final ConcurrentHashMap<String, Window> callers = new ConcurrentHashMap<>();

        @Nullable
        Window caller(String name) {
            Window known = callers.get(name);
            if (known != null || callers.size() >= CALLERS_MAX) {
                return known;
            }
            return callers.computeIfAbsent(name, any -> new Window());
        }
    }

    @Override
    public void released(String endpoint, Call call, Outcome outcome, long queueNanos, long serviceNanos) {
        Endpoint here = endpoints.get(endpoint);
        if (here == null) {
            here = endpoints.computeIfAbsent(endpoint, any -> new Endpoint());
        }
        long now = nanoTime.getAsLong();
        here.waited.add(now, queueNanos);
        here.taken.add(now, queueNanos + serviceNanos);
        Window caller = here.caller(call.caller());
        if (caller != null) {
            caller.add(now, queueNanos + serviceNanos);
        }
    }

    /** The time that admitted calls waited. */
    public Percentiles waited(String endpoint) {
        Endpoint here = endpoints.get(endpoint);
        return here == null ? Percentiles.NONE : here.waited.percentiles(nanoTime.getAsLong());
    }

    /** The time from arrival to answer. */
    public Percentiles taken(String endpoint) {
        Endpoint here = endpoints.get(endpoint);
        return here == null ? Percentiles.NONE : here.taken.percentiles(nanoTime.getAsLong());
    }

    /** The time from arrival to answer of one caller's calls. */
    public Percentiles taken(String endpoint, String caller) {
        Endpoint here = endpoints.get(endpoint);
        Window window = here == null ? null : here.callers.get(caller);
        return window == null ? Percentiles.NONE : window.percentiles(nanoTime.getAsLong());
    }

    /** Two generations of counts in buckets of a quarter of an octave, from 1 µs to two minutes. */
    private static final class Window {
        private static final long GENERATION_NANOS = 10_000_000_000L;
        private static final int BUCKETS = 108;

        private volatile Generation current = new Generation(Long.MIN_VALUE, null);

        private record Generation(long begunNanos, @Nullable AtomicLongArray before, AtomicLongArray counts) {
            Generation(long begunNanos, @Nullable AtomicLongArray before) {
                this(begunNanos, before, new AtomicLongArray(BUCKETS));
            }

            /** Returns the age in generations; the initial generation is always outdated. */
            long age(long now) {
                return begunNanos == Long.MIN_VALUE ? 2 : (now - begunNanos) / GENERATION_NANOS;
            }
        }

        void add(long now, long nanos) {
            Generation generation = current;
            if (generation.age(now) > 0) {
                generation = turn(now);
            }
            generation.counts.incrementAndGet(bucket(nanos));
        }

        private synchronized Generation turn(long now) {
            Generation generation = current;
            long age = generation.age(now);
            if (age > 0) {
                generation = new Generation(now, age == 1 ? generation.counts : null);
                current = generation;
            }
            return generation;
        }

        Percentiles percentiles(long now) {
            Generation generation = current;
            long age = generation.age(now);
            if (age > 1) {
                return Percentiles.NONE;
            }
            long[] counts = new long[BUCKETS];
            long total = sum(generation.counts, counts) + (age == 0 ? sum(generation.before, counts) : 0);
            return total == 0
                    ? Percentiles.NONE
                    : new Percentiles(
                            total,
                            percentile(counts, total, 0.5),
                            percentile(counts, total, 0.9),
                            percentile(counts, total, 0.99));
        }

        private static long sum(@Nullable AtomicLongArray from, long[] into) {
            long total = 0;
            for (int i = 0; from != null && i < BUCKETS; i++) {
                long count = from.get(i);
                into[i] += count;
                total += count;
            }
            return total;
        }

        private static double percentile(long[] counts, long total, double share) {
            long wanted = (long) Math.ceil(share * total);
            int bucket = 0;
            for (long seen = counts[0]; seen < wanted; seen += counts[bucket]) {
                bucket++;
            }
            return middleMs(bucket);
        }

        private static int bucket(long nanos) {
            long quarters = Math.max(1, nanos / 1_000) << 2;
            int octave = Long.SIZE - 1 - Long.numberOfLeadingZeros(quarters);
            int bucket = ((octave - 2) << 2) | (int) ((quarters >>> (octave - 2)) & 3);
            return Math.min(BUCKETS - 1, bucket);
        }

        private static double middleMs(int bucket) {
            return (1L << (bucket >> 2)) * (1 + ((bucket & 3) + 0.5) / 4) / 1_000;
        }
    }
}
