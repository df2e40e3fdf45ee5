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
 * A running {@link Qalm}, started once per process.
 *
 * <p>The system property {@value #SWITCH}, {@code off}, {@code shadow} or {@code on}, is an upper bound of the mode of all lanes and
 * overrides the rules.
 *
 * <p><b>Threads.</b> Safe. Starts a daemon thread for the ticks, one for the registry's file and one for its control service.
 */
public final class LiveQalm implements AutoCloseable {
    /** The system property that switches load management off without a rules file. */
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

    /** Starts load management with a policy written in code. */
    public static LiveQalm start(QalmConfig config, Policy policy) {
        return start(config, policy, Observer.NONE);
    }

    /** Starts load management with a policy written in code; {@code observer} receives the events of all lanes. */
    public static LiveQalm start(QalmConfig config, Policy policy, Observer observer) {
        return new LiveQalm(newQalm(config, bounded(policy, switched()), observer), null, false).started();
    }

    /** Starts load management with a registry of rules; {@code observer} receives the events of all lanes. */
    public static LiveQalm start(QalmConfig config, Sources sources, Observer observer) {
        return start(config, sources, Mode.ON, observer);
    }

    /** As above; {@code modeMax} is an upper bound of the mode of all lanes and overrides the rules. */
    public static LiveQalm start(QalmConfig config, Sources sources, Mode modeMax, Observer observer) {
        Mode ceiling = least(modeMax, switched());
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

    /** Runs the work at once, and again {@code pauseNanos} after each end; a failure does not end the loop. */
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
            LOG.log(Level.WARNING, name + " failed and will be retried", e);
        }
    }

    private void poll(Registry polled) {
        polled.poll();
        report(polled);
    }

    /** Logs each problem once. */
    private synchronized void report(Registry polled) {
        String problem = polled.problem().orElse(null);
        if (problem != null && !problem.equals(reported)) {
            LOG.log(Level.WARNING, problem);
        }
        reported = problem;
    }

    /** Makes the gates of all lanes follow signals of the process; by default no signal is used. */
    public void watch(Signal... watched) {
        for (Signal signal : watched) {
            qalm.addSignal(signal.word(), signal.of(qalm, System::nanoTime));
        }
    }

    /** The lanes. */
    public Qalm qalm() {
        return qalm;
    }

    /** The registry; empty if the policy is written in code. */
    public Optional<Registry> registry() {
        return Optional.ofNullable(registry);
    }

    /** Stops the threads. Waiting calls are no longer decided, so call it after the server has stopped. */
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
