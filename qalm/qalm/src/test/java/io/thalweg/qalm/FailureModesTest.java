package io.thalweg.qalm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.thalweg.qalm.Simulation.Load;
import io.thalweg.qalm.Simulation.Stats;
import io.thalweg.testing.Seeds;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Ways in which load management itself could do harm, one test each, in virtual time. */
class FailureModesTest {
    private static final LaneConfig ON = LaneConfig.DEFAULT.withDeadline(Duration.ofSeconds(30));

    private static Policy levels() {
        return Simulation.levels(ON, "core", 1, "feature", 2, "background", 3);
    }

    private static Simulation service(long seed) {
        return new Simulation(seed, 16, 33.3, levels());
    }

    /** The seeds 1 to 3, for which the bounds were chosen; make soak runs all of them. */
    static LongStream seeds() {
        return LongStream.rangeClosed(1, Seeds.few(3));
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void limit_halfAnHourAtTenPercentTooMuch_doesNotDrift(long seed) {
        // Four cores for 64 slots: calls slow down with concurrency, so there is an optimal limit to find.
        Simulation service = new Simulation(seed, 64, 20, levels());
        service.cores = 4;
        service.load(new Load("core", "endpoint", 0).rate(second -> second < 60 ? 40 : 110));
        service.load(new Load("background", "endpoint", 0).rate(second -> second < 60 ? 40 : 110));
        double[] limits = new double[30];
        IntStream.range(0, 30)
                .forEach(minute -> service.atSecond(
                        60 * minute + 59,
                        () -> limits[minute] =
                                service.qalm.lane("endpoint").snapshot().limit()));
        service.run(1_800);

        assertThat(limits[29]).isLessThan(20);
        assertThat(limits[29]).isCloseTo(limits[5], within(6.0));
        assertThat(service.stats(1_700, 1_800, "core").refused()).isZero();
        assertThat(service.stats(1_700, 1_800, "core").latencyMs(0.99)).isLessThan(400);
        assertThat(service.stats(1_700, 1_800).usefulPerSecond()).isGreaterThan(0.9 * 200);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void detector_tenCallsASecond_noFalseAlarm(long seed) {
        Simulation service = new Simulation(seed, 2, 60, levels()).load(new Load("background", "endpoint", 10));
        service.run(600);

        assertThat(service.stats(0, 600).refusedPercent()).isLessThan(0.1);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void detector_tenCallsASecondAndAStall_isNoticed(long seed) {
        Simulation service = new Simulation(seed, 2, 60, levels()).load(new Load("background", "endpoint", 10));
        service.slowdown = second -> second > 10 && second < 20 ? 50 : 1;
        service.run(45);

        assertThat(service.stats(11, 19).refusedPercent()).isGreaterThan(50);
        assertThat(service.stats(35, 45).refused()).isZero();
    }

    /** Four workers of 400 ms: while all are busy a call leaves the queue every 100 ms on average, sometimes only after 200 ms. */
    private static Simulation slowWorkers(long seed, DoubleUnaryOperator perSecond) {
        return slowWorkers(seed, ON, perSecond);
    }

    private static Simulation slowWorkers(long seed, LaneConfig lane, DoubleUnaryOperator perSecond) {
        Simulation service = new Simulation(seed, 4, 400, Simulation.levels(lane, "core", 1, "background", 3));
        service.load(new Load("core", "endpoint", 0).rate(second -> perSecond.applyAsDouble(second) / 3));
        service.load(new Load("background", "endpoint", 0).rate(second -> perSecond.applyAsDouble(second) / 1.5));
        return service;
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void detector_fewSlowWorkersAtHalfLoad_noFalseAlarm(long seed) {
        Simulation service = slowWorkers(seed, second -> 5);
        service.run(600);

        assertThat(service.stats(0, 600).refused()).isZero();
    }

    @Test
    void detector_fewSlowWorkersAndAChosenDelay_goesByThat() {
        LaneConfig chosen = ON.withDelay(Duration.ofMillis(50));
        Simulation found = slowWorkers(1, second -> 5);
        Simulation configured = slowWorkers(1, chosen, second -> 5);
        found.run(60);
        configured.run(60);

        assertThat(found.qalm.lane("endpoint").snapshot().delayThreshold())
                .as("six of 100 ms")
                .isCloseTo(Duration.ofMillis(600), Duration.ofMillis(150));
        assertThat(configured.qalm.lane("endpoint").snapshot().delayThreshold()).isEqualTo(Duration.ofMillis(50));
        assertThat(configured.stats(0, 60).refused()).isPositive();
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void detector_fewSlowWorkersAndHalfTooMuch_isNoticed(long seed) {
        Simulation service = slowWorkers(seed, second -> second > 30 && second < 90 ? 15 : 5);
        service.run(120);

        assertThat(service.stats(0, 120, "core").refused()).isZero();
        assertThat(service.stats(30, 90, "core").latencyMs(0.99)).isLessThan(2_500);
        assertThat(service.stats(30, 90, "background").refusedPercent()).isBetween(35.0, 60.0);
        assertThat(service.stats(30, 90).usefulPerSecond()).isGreaterThan(9);
        assertThat(service.stats(93, 120).refused()).isZero();
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void detector_fewSlowWorkersAndAStall_isNoticed(long seed) {
        Simulation service = slowWorkers(seed, second -> 5);
        service.slowdown = second -> second > 30 && second < 40 ? 100 : 1;
        boolean[] noticed = new boolean[1];
        service.atSecond(
                34, () -> noticed[0] = service.qalm.lane("endpoint").snapshot().overloaded());
        service.run(40);

        assertThat(noticed[0])
                .as("within four seconds, in which the workers have to fill first")
                .isTrue();
        assertThat(service.stats(34, 39, "background").refusedPercent()).isGreaterThan(95);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void stall_allWorkersBlocked_sheddableCallsLearnItSoon(long seed) {
        Simulation service = service(seed);
        service.load(new Load("core", "endpoint", 100)).load(new Load("background", "endpoint", 100));
        service.slowdown = second -> second > 10 && second < 10.2 ? 150 : 1;
        service.run(30);

        Stats background = service.stats(10.5, 13, "background");
        assertThat(background.refusedPercent()).isGreaterThan(95);
        assertThat(background.samples())
                .filteredOn(sample -> sample.refusal() != null)
                .allMatch(sample -> sample.latencyNanos() < 500 * Simulation.MS);
        assertThat(service.stats(0, 30, "core").refusedPercent()).isLessThan(2);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void herd_fiveThousandCallsInTenMilliseconds_criticalOnesAreServedAndItPasses(long seed) {
        Simulation service = service(seed);
        service.load(new Load("core", "endpoint", 100)).load(new Load("background", "endpoint", 100));
        IntStream.range(0, 10)
                .forEach(ms -> service.burst(10 + ms / 1e3, 500, new Load("feature", "endpoint", 0).timeoutMs(2_000)));
        service.run(20);

        assertThat(service.stats(10, 10.1, "feature").count()).isEqualTo(5_000);
        assertThat(service.stats(0, 20, "core").refused()).isZero();
        assertThat(service.stats(0, 20, "core").latencyMs(0.999)).isLessThan(500);
        assertThat(service.stats(11.5, 20).refused()).isZero();
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void deadline_shorterThanTheThreshold_expiredCallsAreNeverWorkedOn(long seed) {
        Simulation service = service(seed);
        service.load(new Load("core", "endpoint", 600).timeoutMs(10).serviceMs(33.3));
        service.run(20);

        long late = service.stats(0, 20).samples().stream()
                .filter(sample -> sample.refusal() == Refusal.EXPIRED)
                .count();
        assertThat(late).isPositive();
        assertThat(service.qalm.lane("endpoint").snapshot().shed())
                .as("their callers no longer wait: not shed")
                .isLessThan(late / 20);
        assertThat(service.begunAfterDeadline).isZero();
    }

    @Test
    void streams_longCallsThatSayNothing_leaveLimitAndServiceTimeAlone() {
        Simulation service = service(1);
        service.load(new Load("core", "endpoint", 100));
        service.load(new Load("watch", "endpoint", 0.05).serviceMs(60_000).outcome(Outcome.IGNORED));
        service.run(300);

        LaneSnapshot lane = service.qalm.lane("endpoint").snapshot();
        assertThat(lane.meanServiceTime()).isBetween(Duration.ofMillis(25), Duration.ofMillis(42));
        assertThat(lane.limit()).isEqualTo(16);
        assertThat(service.stats(0, 300).refused()).isZero();
    }

    @Test
    void coldStart_tenTimesSlowerAtFirst_shedsNothing() {
        Simulation service = service(3);
        // Just-in-time compilation: calls are slow, but only while there is little load.
        service.slowdown = second -> second < 2 ? 10 - 4.5 * second : 1;
        service.load(new Load("background", "endpoint", 0).rate(second -> 480 * Math.min(0.7, 0.05 + second / 20)));
        service.run(30);

        assertThat(service.stats(0, 30).refused()).isZero();
    }

    @Test
    void autoscaler_underOverload_seesWhatWasOffered() {
        Simulation service = service(5);
        service.load(new Load("background", "endpoint", 900)).load(new Load("core", "endpoint", 100));
        service.run(30);

        LaneSnapshot lane = service.qalm.lane("endpoint").snapshot();
        assertThat(lane.offeredPerSecond()).isCloseTo(1_000, within(150.0));
        assertThat(lane.capacityPerSecond()).isCloseTo(480, within(60.0));
        assertThat(lane.neverDropShare()).isCloseTo(100 / 480.0, within(0.08));
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void slowEndpoint_underOverload_leavesTheOthersTheirTime(long seed) {
        Simulation service = new Simulation(seed, 16, 10, levels());
        service.load(new Load("feature", "slow", 40).serviceMs(1_000));
        service.load(new Load("feature", "quick", 200).serviceMs(10));
        service.run(60);

        assertThat(service.stats(0, 60, "feature").refused()).isPositive();
        LaneSnapshot quick = service.qalm.lane("quick").snapshot();
        assertThat(quick.level(Criticality.FEATURE).served()).isGreaterThan((long) (0.97 * 60 * 200));
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void pressure_fromOutside_closesTheGateForBackgroundOnly(long seed) {
        Simulation service = service(seed);
        AtomicReference<Double> memory = new AtomicReference<>(0.0);
        service.qalm.addSignal("memory", memory::get);
        service.load(new Load("core", "endpoint", 50))
                .load(new Load("feature", "endpoint", 50))
                .load(new Load("background", "endpoint", 50));
        service.atSecond(10, () -> memory.set(0.8));
        service.atSecond(20, () -> memory.set(1.0));
        service.atSecond(30, () -> memory.set(0.5));
        service.run(40);

        assertThat(service.stats(0, 10).refused()).isZero();
        assertThat(service.stats(10.1, 20, "background").refusedPercent()).isGreaterThan(99);
        assertThat(service.stats(10.1, 20, "feature").refused()).isZero();
        assertThat(service.stats(20.1, 30, "feature").refusedPercent()).isGreaterThan(95);
        assertThat(service.stats(0, 40, "core").refused()).isZero();
        assertThat(service.stats(30.1, 40).refused()).isZero();
    }

    @Test
    void killSwitch_underOverload_letsEverybodyThroughAtOnce() {
        Simulation service = service(1);
        service.load(new Load("core", "endpoint", 300)).load(new Load("background", "endpoint", 600));
        service.atSecond(10, () -> service.qalm.apply(Simulation.levels(ON.withMode(Mode.OFF))));
        service.run(12);

        assertThat(service.stats(1, 10).refused()).isPositive();
        assertThat(service.stats(10, 12).refused()).isZero();
        assertThat(service.qalm.lane("endpoint").snapshot().waiting()).isZero();
    }
}
