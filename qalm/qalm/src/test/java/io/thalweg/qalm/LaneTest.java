package io.thalweg.qalm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.thalweg.qalm.estimate.RankGate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests one lane step by step, with a manual clock. */
class LaneTest {
    private static final long MS = 1_000_000;

    private long now = 5_000 * MS;
    private final List<RuntimeException> failures = new ArrayList<>();
    private final Observer observer = new Observer() {
        @Override
        public void failed(String endpoint, RuntimeException failure) {
            failures.add(failure);
        }
    };

    private Qalm qalm(int slots, LaneConfig lane, Map<String, CallerPolicy> callers) {
        Policy policy =
                endpoint -> new EndpointPolicy(lane, caller -> callers.getOrDefault(caller, CallerPolicy.DEFAULT));
        return new Qalm(new QalmConfig(slots, 1), policy, () -> now, () -> new SplittableRandom(1), observer);
    }

    private Lane lane(int slots, LaneConfig config) {
        return qalm(
                        slots,
                        config,
                        Map.of(
                                "infrastructure", new CallerPolicy(Criticality.INFRASTRUCTURE),
                                "core", new CallerPolicy(Criticality.CORE),
                                "background", new CallerPolicy(Criticality.BACKGROUND),
                                "gateway", new CallerPolicy(Criticality.FEATURE, Double.POSITIVE_INFINITY, true)))
                .lane("endpoint");
    }

    private TestCall submit(Lane lane, String caller) {
        TestCall call = new TestCall(caller, now);
        lane.submit(call);
        return call;
    }

    @Test
    void submit_roomLeft_admitsAtOnce() {
        Lane lane = lane(2, LaneConfig.DEFAULT);
        assertThat(submit(lane, "core").admissions).isOne();
        assertThat(submit(lane, "background").admissions).isOne();
        assertThat(submit(lane, "core").admissions).isZero();
        assertThat(lane.snapshot().waiting()).isOne();
    }

    @Test
    void release_othersWait_admitsTheOldestWhateverItsLevel() {
        Lane lane = lane(1, LaneConfig.DEFAULT);
        TestCall first = submit(lane, "core");
        TestCall background = submit(lane, "background");
        TestCall core = submit(lane, "core");
        first.release(Outcome.SUCCESS);
        assertThat(background.admissions).isOne();
        assertThat(core.admissions).isZero();
        background.release(Outcome.SUCCESS);
        assertThat(core.admissions).isOne();
    }

    @Test
    void release_twice_countsOnce() {
        Lane lane = lane(1, LaneConfig.DEFAULT);
        TestCall call = submit(lane, "core");
        call.release(Outcome.SUCCESS);
        call.release(Outcome.DROPPED);
        assertThat(lane.snapshot().inflight()).isZero();
        assertThat(lane.snapshot().level(Criticality.CORE).served()).isOne();
    }

    @Test
    void overload_everybodyWaits_theMostCriticalGoFirst() {
        Lane lane = lane(1, LaneConfig.DEFAULT.withMode(Mode.ON).withDelay(Duration.ofMillis(50)));
        TestCall running = submit(lane, "core");
        TestCall feature = submit(lane, "anybody");
        overload(lane);
        TestCall core = submit(lane, "core");
        TestCall infrastructure = submit(lane, "infrastructure");
        assertThat(feature.reason).isEqualTo(Refusal.EVICTED);
        running.release(Outcome.SUCCESS);
        assertThat(infrastructure.admissions).isOne();
        infrastructure.release(Outcome.SUCCESS);
        assertThat(core.admissions).isOne();
    }

    /** Advances the clock, with ticks, until waiting calls have waited too long. */
    private void overload(Lane lane) {
        for (int i = 0; i < 40; i++) {
            now += 10 * MS;
            lane.tick(now, 0, RankGate.Threshold.OPEN);
        }
        assertThat(lane.snapshot().overloaded()).isTrue();
    }

    @Test
    void deadline_hasPassed_isNeverAdmitted() {
        Lane lane = lane(1, LaneConfig.DEFAULT);
        TestCall late = new TestCall("core", null, false, now - 20 * MS, 10 * MS);
        lane.submit(late);
        assertThat(late.reason).isEqualTo(Refusal.EXPIRED);

        TestCall running = submit(lane, "core");
        TestCall waits = new TestCall("core", null, false, now, 10 * MS);
        lane.submit(waits);
        now += 11 * MS;
        running.release(Outcome.SUCCESS);
        assertThat(waits.reason).isEqualTo(Refusal.EXPIRED);
        assertThat(waits.admissions).isZero();
        assertThat(lane.snapshot().inflight()).isZero();
    }

    @Test
    void deadline_longerThanTheClock_isNoOverflow() {
        Lane lane = lane(1, LaneConfig.DEFAULT);
        TestCall call = new TestCall("core", null, false, now, Long.MAX_VALUE - 1);
        lane.submit(call);
        assertThat(call.admissions).isOne();
    }

    @Test
    void cancel_whileWaiting_leavesTheQueue() {
        Lane lane = lane(1, LaneConfig.DEFAULT);
        TestCall running = submit(lane, "core");
        TestCall waits = submit(lane, "core");
        waits.cancel();
        waits.cancel();
        assertThat(waits.reason).isEqualTo(Refusal.CANCELLED);
        assertThat(waits.refusals).isOne();
        assertThat(lane.snapshot().waiting()).isZero();
        running.release(Outcome.SUCCESS);
        assertThat(waits.admissions).isZero();
        assertThat(lane.snapshot().inflight()).isZero();
    }

    @Test
    void cancel_whileRunning_changesNothing() {
        Lane lane = lane(1, LaneConfig.DEFAULT);
        TestCall running = submit(lane, "core");
        running.cancel();
        assertThat(running.refusals).isZero();
        assertThat(lane.snapshot().inflight()).isOne();
    }

    @Test
    void header_ofAStranger_onlyLowers() {
        Lane lane = lane(4, LaneConfig.DEFAULT);
        assertThat(levelOf(lane, "background", Criticality.INFRASTRUCTURE, false))
                .isEqualTo(Criticality.BACKGROUND);
        assertThat(levelOf(lane, "core", Criticality.BACKGROUND, false)).isEqualTo(Criticality.BACKGROUND);
        assertThat(levelOf(lane, "background", Criticality.CORE, true)).isEqualTo(Criticality.BACKGROUND);
        assertThat(levelOf(lane, "gateway", Criticality.CORE, true)).isEqualTo(Criticality.CORE);
        assertThat(levelOf(lane, "gateway", Criticality.CORE, false)).isEqualTo(Criticality.FEATURE);
        assertThat(levelOf(lane, "stranger", null, false)).isEqualTo(Criticality.FEATURE);
    }

    private Criticality levelOf(Lane lane, String caller, @Nullable Criticality asked, boolean proven) {
        TestCall call = new TestCall(caller, asked, proven, now, Call.NO_DEADLINE);
        lane.submit(call);
        call.release(Outcome.IGNORED);
        return call.criticality();
    }

    @Test
    void budget_exceeded_demotes() {
        Lane lane = qalm(100, LaneConfig.DEFAULT, Map.of("loud", new CallerPolicy(Criticality.CORE, 10, false)))
                .lane("endpoint");
        int core = 0;
        for (int i = 0; i < 40; i++) {
            core += submit(lane, "loud").criticality() == Criticality.CORE ? 1 : 0;
        }
        assertThat(core).as("a second's worth ahead, and one").isEqualTo(11);
        now += 500 * MS;
        for (int i = 0; i < 40; i++) {
            core += submit(lane, "loud").criticality() == Criticality.CORE ? 1 : 0;
        }
        assertThat(core).isEqualTo(16);
        assertThat(lane.snapshot().callers().get(0).demoted()).isEqualTo(64);
    }

    @Test
    void queueFull_sheddableWaits_theOldestOfTheLeastCriticalGoes() {
        Lane lane = lane(1, LaneConfig.DEFAULT.withWaitingMax(3));
        submit(lane, "core");
        TestCall old = submit(lane, "background");
        TestCall young = submit(lane, "background");
        TestCall core = submit(lane, "core");
        TestCall another = submit(lane, "core");
        assertThat(old.reason).isEqualTo(Refusal.QUEUE_FULL);
        assertThat(List.of(young.refusals, core.refusals, another.refusals)).containsOnly(0);
    }

    @Test
    void policy_throws_theCallGoesThrough() {
        IllegalStateException broken = new IllegalStateException("registry is broken");
        Policy policy = endpoint -> new EndpointPolicy(LaneConfig.DEFAULT, caller -> {
            throw broken;
        });
        Lane lane = new Qalm(new QalmConfig(1, 1), policy, () -> now, () -> new SplittableRandom(1), observer)
                .lane("endpoint");
        TestCall call = submit(lane, "core");
        assertThat(call.admissions).isOne();
        call.release(Outcome.SUCCESS);
        assertThat(failures).containsExactly(broken);
        assertThat(lane.snapshot().failures()).isOne();
        assertThat(lane.snapshot().passed()).isOne();
        assertThat(lane.snapshot().inflight()).isZero();
    }

    @Test
    void admitted_throws_givesTheSlotBackAndTheOthersGoOn() {
        Lane lane = lane(1, LaneConfig.DEFAULT);
        TestCall running = submit(lane, "core");
        lane.submit(new TestCall("core", now) {
            @Override
            protected void admitted() {
                throw new IllegalStateException("no worker");
            }
        });
        TestCall behind = submit(lane, "core");
        running.release(Outcome.SUCCESS);
        assertThat(behind.admissions).isOne();
        assertThat(failures).hasSize(1);
        behind.release(Outcome.SUCCESS);
        assertThat(lane.snapshot().inflight()).isZero();
    }

    @Test
    void random_throws_theCallGoesThroughAndLeavesNothingBehind() {
        Policy policy =
                endpoint -> new EndpointPolicy(LaneConfig.DEFAULT, caller -> new CallerPolicy(Criticality.BACKGROUND));
        RandomGenerator broken = () -> {
            throw new IllegalStateException("no randomness");
        };
        Lane lane = new Qalm(new QalmConfig(1, 1), policy, () -> now, () -> broken, observer).lane("endpoint");
        TestCall running = submit(lane, "anybody");
        lane.tick(now, 0, new RankGate.Threshold(RankGate.SHEDDABLE + 128, 0.5));
        TestCall call = new TestCall("anybody", now);
        for (int i = 0; i < 40 && failures.isEmpty(); i++) {
            now += 3_600_000 * MS; // another hour, another cohort, until it is the one on the threshold
            call = submit(lane, "anybody");
        }
        assertThat(failures).hasSize(1);
        assertThat(call.admissions).isOne();
        call.release(Outcome.SUCCESS);
        running.release(Outcome.SUCCESS);
        assertThat(lane.snapshot().inflight()).isZero();
    }

    @Test
    void snapshot_minDelay_isTheShortestWaitOrThatOfTheOldestWhereNothingLeaves() {
        Lane lane = lane(1, LaneConfig.DEFAULT);
        assertThat(lane.snapshot().minDelay()).isZero();
        TestCall running = submit(lane, "core");
        TestCall waits = submit(lane, "core");
        now += 150 * MS;
        assertThat(lane.snapshot().minDelay()).isEqualTo(Duration.ofMillis(150));
        running.release(Outcome.SUCCESS);
        assertThat(waits.admissions).isOne();
        now += 50 * MS;
        assertThat(lane.snapshot().minDelay()).isEqualTo(Duration.ofMillis(150));
        now += 100 * MS;
        assertThat(lane.snapshot().minDelay()).as("no call waits").isZero();
        waits.release(Outcome.SUCCESS);
    }

    @Test
    void weight_ofACall_takesSoManySlotsAndHalfAtMost() {
        Lane lane = lane(8, LaneConfig.DEFAULT);
        TestCall three = weighing(lane, 3);
        TestCall four = weighing(lane, 4);
        assertThat(three.admissions + four.admissions).isEqualTo(2);
        TestCall two = weighing(lane, 2);
        assertThat(two.admissions).isZero();
        assertThat(lane.snapshot().inflight()).isEqualTo(7);
        three.release(Outcome.SUCCESS);
        assertThat(two.admissions).isOne();
        TestCall hundred = weighing(lane, 100);
        TestCall behind = submit(lane, "core");
        assertThat(behind.admissions)
                .as("no call overtakes it, or it would wait forever")
                .isZero();
        four.release(Outcome.SUCCESS);
        assertThat(hundred.admissions).isOne();
        assertThat(lane.snapshot().inflight()).isEqualTo(2 + 4 + 1);
        two.release(Outcome.SUCCESS);
        hundred.release(Outcome.SUCCESS);
        behind.release(Outcome.SUCCESS);
        assertThat(lane.snapshot().inflight()).isZero();
        assertThatThrownBy(() -> weighing(lane, 101))
                .hasMessage("weight must be 1 to 100, was 101; 1 is an ordinary call");
    }

    @Test
    void weight_moreThanIsFreeElsewhere_isGatheredFromOtherLanes() {
        Qalm qalm = qalm(8, LaneConfig.DEFAULT.withReserve(0), Map.of());
        Lane light = qalm.lane("light");
        Lane heavy = qalm.lane("heavy");
        List<TestCall> running = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            running.add(submit(light, "core"));
        }
        TestCall four = weighing(heavy, 4);
        TestCall waits = submit(light, "core");
        for (int i = 0; i < 3; i++) {
            running.get(i).release(Outcome.SUCCESS);
            assertThat(four.admissions).isZero();
        }
        for (int i = 3; i < 8; i++) {
            running.get(i).release(Outcome.SUCCESS);
        }
        assertThat(four.admissions).isOne();
        assertThat(waits.admissions).isOne();
        four.release(Outcome.SUCCESS);
        waits.release(Outcome.SUCCESS);
        assertThat(light.snapshot().inflight() + heavy.snapshot().inflight()).isZero();
        assertThat(submit(light, "core").admissions)
                .as("and all slots are back")
                .isOne();
    }

    private TestCall weighing(Lane lane, int weight) {
        TestCall call = new TestCall("core", now);
        call.weigh(weight);
        lane.submit(call);
        return call;
    }

    @Test
    void signal_throwsOrDoesNotKnow_othersAreHeardAndItIsReportedOnce() {
        Qalm qalm = qalm(1, LaneConfig.DEFAULT, Map.of("background", new CallerPolicy(Criticality.BACKGROUND)));
        Lane lane = qalm.lane("endpoint");
        qalm.addSignal("broken", () -> {
            throw new IllegalStateException("no sensor");
        });
        qalm.addSignal("unknown", () -> Double.NaN);
        qalm.addSignal("memory", () -> 1);
        for (int i = 0; i < 3; i++) {
            now += 10 * MS;
            qalm.tick();
        }
        assertThat(submit(lane, "background").reason).isEqualTo(Refusal.GATE);
        assertThat(failures).hasSize(1);
        assertThat(qalm.pressures()).containsEntry("memory", 1.0).containsEntry("broken", 0.0);
    }

    @Test
    void lateness_ofTicks_isTheirMeanOfASecondOrSo() {
        Qalm qalm = qalm(1, LaneConfig.DEFAULT, Map.of());
        for (int i = 0; i < 500; i++) {
            now += qalm.tickNanos() + 20 * MS;
            qalm.tick();
        }
        assertThat(qalm.latenessNanos()).isCloseTo(20.0 * MS, within(1.0 * MS));
        for (int i = 0; i < 500; i++) {
            now += qalm.tickNanos();
            qalm.tick();
        }
        assertThat(qalm.latenessNanos()).isLessThan(MS);
    }

    @Test
    void tickNanos_nobodyWaits_isLongAndAPauseIsSeenAllTheSame() {
        Qalm qalm = qalm(1, LaneConfig.DEFAULT, Map.of());
        Lane lane = qalm.lane("endpoint");
        assertThat(qalm.tickNanos()).isEqualTo(Qalm.CALM_TICK_NANOS);
        now += 210 * MS;
        qalm.tick();
        assertThat(qalm.pauses()).isOne();

        TestCall running = submit(lane, "anybody");
        TestCall waits = submit(lane, "anybody");
        now += 10 * MS;
        qalm.tick();
        assertThat(qalm.tickNanos()).isEqualTo(Qalm.TICK_NANOS);
        running.release(Outcome.SUCCESS);
        waits.release(Outcome.SUCCESS);
        for (int i = 0; i < 100; i++) {
            assertThat(qalm.tickNanos()).isEqualTo(Qalm.TICK_NANOS);
            now += 10 * MS;
            qalm.tick();
        }
        assertThat(qalm.tickNanos()).isEqualTo(Qalm.CALM_TICK_NANOS);
        assertThat(qalm.pauses()).isOne();
    }

    @Test
    void mode_off_passesEverything() {
        Lane lane = lane(1, LaneConfig.DEFAULT.withMode(Mode.OFF));
        for (int i = 0; i < 10; i++) {
            assertThat(submit(lane, "background").admissions).isOne();
        }
        assertThat(lane.snapshot().passed()).isEqualTo(10);
        assertThat(lane.snapshot().inflight()).isZero();
    }

    @Test
    void apply_switchedOff_thoseWhoWaitGoThrough() {
        Qalm qalm = qalm(1, LaneConfig.DEFAULT, Map.of());
        Lane lane = qalm.lane("endpoint");
        TestCall running = submit(lane, "anybody");
        TestCall waits = submit(lane, "anybody");
        qalm.apply(
                endpoint -> new EndpointPolicy(LaneConfig.DEFAULT.withMode(Mode.OFF), caller -> CallerPolicy.DEFAULT));
        assertThat(waits.admissions).isOne();
        waits.release(Outcome.SUCCESS);
        running.release(Outcome.SUCCESS);
        assertThat(lane.snapshot().inflight()).isZero();
    }

    @Test
    void lanes_madeUpPaths_areBounded() {
        Qalm qalm = qalm(1, LaneConfig.DEFAULT, Map.of());
        for (int i = 0; i < 5_000; i++) {
            qalm.lane("/path/" + i);
        }
        assertThat(qalm.snapshot()).hasSizeLessThanOrEqualTo(Qalm.LANES_MAX + 1);
    }

    @Test
    void config_outOfRange_namesKeyValueAndRemedy() {
        assertThatThrownBy(() -> LaneConfig.DEFAULT.withLimit(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("limit must be at least 1, was 0; leave it out for an automatic value");
        assertThatThrownBy(() -> LaneConfig.DEFAULT.withDeadline(Duration.ZERO))
                .hasMessage("deadline must be above 0, was PT0S; for example 10s");
        assertThatThrownBy(() -> new CallerPolicy(Criticality.CORE, -1, false))
                .hasMessageContaining("never_drop_per_second must be at least 0");
    }
}
