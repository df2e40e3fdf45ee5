package io.thalweg.qalm.live;

import io.thalweg.qalm.EndpointPolicy;
import io.thalweg.qalm.Mode;
import io.thalweg.qalm.Observer;
import io.thalweg.qalm.Policy;
import io.thalweg.qalm.Qalm;
import io.thalweg.qalm.QalmConfig;
import io.thalweg.qalm.registry.Registry;
import io.thalweg.qalm.registry.Sources;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A running {@link Qalm}: what a {@code main} starts, once per process.
 *
 * <p>The system property {@value #SWITCH}, {@code off}, {@code shadow} or {@code on}, bounds the mode of all lanes, whatever the
 * registry says.
 *
 * <p><b>Threads.</b> Safe. Two daemon threads of its own; three with a control service.
 */
public final class LiveQalm implements AutoCloseable {
    /** The system property that switches load management off without any file. */
    public static final String SWITCH = "thalweg.qalm";

    private static final Logger LOG = System.getLogger(LiveQalm.class.getName());

    private static final long END_MS = 1_000;

    private final Qalm qalm;
    private final @Nullable Registry registry;
    private final boolean control;
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean closed;
    private @Nullable String reported;

    private LiveQalm(Qalm qalm, @Nullable Registry registry, boolean control) {
        this.qalm = qalm;
        this.registry = registry;
        this.control = control;
    }

    private LiveQalm started() {
        loop("qalm-ticks", qalm::tick, qalm::tickNanos);
        if (registry != null) {
            report(registry);
            every(Registry.POLL.toNanos(), "qalm-registry", () -> poll(registry));
            if (control) {
                Duration about = Registry.CONTROL_POLL;
                loop(
                        "qalm-control",
                        () -> {
                            registry.pollControl();
                            report(registry);
                        },
                        () -> (long)
                                (about.toNanos() * ThreadLocalRandom.current().nextDouble(0.8, 1.2)));
            }
        }
        return this;
    }

    /** Starts with a policy that is written in code. */
    public static LiveQalm start(QalmConfig config, Policy policy) {
        return start(config, policy, Observer.NONE);
    }

    /** The same; {@code observer} hears what lanes do. */
    public static LiveQalm start(QalmConfig config, Policy policy, Observer observer) {
        return new LiveQalm(newQalm(config, bounded(policy, switched()), observer), null, false).started();
    }

    /**
     * Starts with a registry.
     *
     * @param file the rules that operators edit, watched; null if there is none
     * @param folder where the registry keeps the rules in force and the audit trail
     * @param observer hears what lanes do
     */
    public static LiveQalm start(QalmConfig config, @Nullable Path file, Path folder, Observer observer) {
        return start(config, Sources.local(file, folder), Mode.ON, observer);
    }

    /** The same; {@code most} bounds the mode of all lanes, whatever the rules say. */
    public static LiveQalm start(QalmConfig config, Sources sources, Mode most, Observer observer) {
        Mode ceiling = least(most, switched());
        Qalm qalm = newQalm(config, bounded(Policy.DEFAULT, ceiling), observer);
        Registry registry = Registry.open(sources, Clock.systemUTC(), rules -> qalm.apply(bounded(rules, ceiling)));
        return new LiveQalm(qalm, registry, sources.control() != null).started();
    }

    private static Mode least(Mode one, Mode other) {
        return one.compareTo(other) <= 0 ? one : other;
    }

    private static Qalm newQalm(QalmConfig config, Policy policy, Observer observer) {
        SplittableRandom seeds = new SplittableRandom();
        return new Qalm(config, policy, System::nanoTime, () -> split(seeds), observer);
    }

    private static RandomGenerator split(SplittableRandom seeds) {
        synchronized (seeds) {
            return seeds.split();
        }
    }

    private static Mode switched() {
        String asked = System.getProperty(SWITCH, "on");
        for (Mode mode : Mode.values()) {
            if (mode.name().toLowerCase(Locale.ROOT).equals(asked)) {
                return mode;
            }
        }
        throw new IllegalArgumentException(
                "the system property " + SWITCH + " must be off, shadow or on, was " + asked + "; on is the default");
    }

    private static Policy bounded(Policy policy, Mode ceiling) {
        return endpoint -> {
            EndpointPolicy asked = policy.endpoint(endpoint);
            boolean tooMuch = asked.lane().mode().compareTo(ceiling) > 0;
            return tooMuch ? new EndpointPolicy(asked.lane().withMode(ceiling), asked.callers()) : asked;
        };
    }

    private void every(long nanos, String name, Runnable work) {
        start(name, () -> {
            while (!closed) {
                LockSupport.parkNanos(nanos);
                if (!closed) {
                    attempt(name, work);
                }
            }
        });
    }

    /** At once, and then again after {@code pauseNanos}, in full, however often it fails. */
    private void loop(String name, Runnable work, LongSupplier pauseNanos) {
        start(name, () -> {
            while (!closed) {
                attempt(name, work);
                long end = System.nanoTime() + pauseNanos.getAsLong();
                for (long left = end - System.nanoTime(); left > 0 && !closed; left = end - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
            }
        });
    }

    private void start(String name, Runnable loop) {
        Thread thread = new Thread(loop, name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    private static void attempt(String name, Runnable work) {
        try {
            work.run();
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, name + " failed and goes on", e);
        }
    }

    private void poll(Registry polled) {
        polled.poll();
        report(polled);
    }

    /** Each problem once. */
    private synchronized void report(Registry polled) {
        String problem = polled.problem().orElse(null);
        if (problem != null && !problem.equals(reported)) {
            LOG.log(Level.WARNING, problem);
        }
        reported = problem;
    }

    /** Heeds signs of overload of the process, too; none is heeded otherwise. */
    public void watch(Signal... watched) {
        for (Signal signal : watched) {
            qalm.addSignal(signal.word(), signal.of(qalm, System::nanoTime));
        }
    }

    /** The lanes. */
    public Qalm qalm() {
        return qalm;
    }

    /** The rules, if there is a registry. */
    public Optional<Registry> registry() {
        return Optional.ofNullable(registry);
    }

    /** Ends the threads. Calls that wait are no longer looked after: close it when the server has stopped. */
    @Override
    public void close() {
        closed = true;
        threads.forEach(LockSupport::unpark);
        try {
            for (Thread thread : threads) {
                thread.join(END_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
