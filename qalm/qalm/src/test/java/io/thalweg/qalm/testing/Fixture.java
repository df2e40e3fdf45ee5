package io.thalweg.qalm.testing;

import io.thalweg.qalm.CallerPolicy;
import io.thalweg.qalm.Criticality;
import io.thalweg.qalm.EndpointPolicy;
import io.thalweg.qalm.LaneConfig;
import io.thalweg.qalm.LaneSnapshot;
import io.thalweg.qalm.Observer;
import io.thalweg.qalm.Qalm;
import io.thalweg.qalm.QalmConfig;
import io.thalweg.testing.Await;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/** Lanes for tests of real servers: callers are named after their levels, time is real, ticks and overload happen on demand. */
public final class Fixture {
    private static final Map<String, CallerPolicy> CALLERS = Map.of(
            "core", new CallerPolicy(Criticality.CORE),
            "feature", new CallerPolicy(Criticality.FEATURE),
            "background", new CallerPolicy(Criticality.BACKGROUND));

    public final Qalm qalm;
    private volatile double pressure;

    /** Creates lanes that share {@code slots}. */
    public Fixture(int slots) {
        LaneConfig lane = LaneConfig.DEFAULT.withDeadline(Duration.ofSeconds(60));
        this.qalm = new Qalm(
                new QalmConfig(slots, slots),
                endpoint -> new EndpointPolicy(lane, caller -> CALLERS.getOrDefault(caller, CallerPolicy.DEFAULT)),
                System::nanoTime,
                () -> new SplittableRandom(1),
                Observer.NONE);
        qalm.addSignal("test", () -> pressure);
    }

    /** Makes the gates of all existing lanes refuse levels 2 and 3 from now on. */
    public void overload() {
        pressure = 1;
        qalm.tick();
    }

    /** Ticks until the lane is in the expected state. */
    public void await(String endpoint, Predicate<LaneSnapshot> expected) {
        Await.until(() -> "a change of " + qalm.lane(endpoint).snapshot(), () -> {
            if (expected.test(qalm.lane(endpoint).snapshot())) {
                return true;
            }
            qalm.tick();
            return false;
        });
    }

    /** Ticks until no call is in flight or waits. */
    public void awaitIdle(String endpoint) {
        await(endpoint, lane -> lane.inflight() == 0 && lane.waiting() == 0);
    }
}
