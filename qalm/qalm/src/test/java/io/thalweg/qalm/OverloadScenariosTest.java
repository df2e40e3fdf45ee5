package io.thalweg.qalm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.thalweg.qalm.Simulation.Load;
import io.thalweg.qalm.Simulation.Stats;
import io.thalweg.testing.Seeds;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A service under more load than its capacity, in virtual time: 16 workers, 33.3 ms, and therefore 480 calls a second, unless a
 * test overrides it. Each scenario runs with three seeds, and also without load management where the comparison shows the gain.
 */
class OverloadScenariosTest {
    private static final double CAPACITY = 480;
    private static final LaneConfig ON = LaneConfig.DEFAULT.withDeadline(Duration.ofSeconds(30));
    private static final LaneConfig OFF = ON.withMode(Mode.OFF);

    private static Simulation service(long seed, LaneConfig lane) {
        return new Simulation(seed, 16, 1e3 * 16 / CAPACITY, levels(lane));
    }

    private static Policy levels(LaneConfig lane) {
        return Simulation.levels(lane, "infrastructure", 0, "core", 1, "feature", 2, "background", 3);
    }

    /** Half of the calls are of level 1, 30 % of level 2, 20 % of level 3. */
    private static Simulation mixed(Simulation service, DoubleUnaryOperator ofCapacity, double capacity) {
        Map.of("core", 0.5, "feature", 0.3, "background", 0.2).entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .forEach(part -> service.load(new Load(part.getKey(), "endpoint", 0)
                        .rate(second -> part.getValue() * capacity * ofCapacity.applyAsDouble(second))));
        return service;
    }

    private static Simulation mixed(Simulation service, DoubleUnaryOperator ofCapacity) {
        return mixed(service, ofCapacity, CAPACITY);
    }

    /** The seeds 1 to 3, for which the bounds were chosen; make soak runs all of them. */
    static LongStream seeds() {
        return LongStream.rangeClosed(1, Seeds.few(3));
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void degradation_quarterTooMuch_shedsTheExcessAndNothingCritical(long seed) {
        DoubleUnaryOperator load = second -> second < 80 ? 1.25 : 0.5;
        Simulation none = mixed(service(seed, OFF), load);
        none.run(110);
        Simulation managed = mixed(service(seed, ON), load);
        managed.run(110);

        assertThat(none.stats(75, 80).latencyMs(0.5)).isGreaterThan(14_000);
        assertThat(managed.stats(0, 80).latencyMs(0.99)).isLessThan(140);
        assertThat(managed.stats(0, 80).refusedPercent()).isCloseTo(20, within(2.0));
        assertThat(managed.stats(0, 110, "core").refused()).isZero();
        assertThat(managed.stats(0, 110, "core").latencyMs(0.99)).isLessThan(130);
        assertThat(managed.stats(0, 80).usefulPerSecond()).isGreaterThan(0.98 * CAPACITY);
        assertThat(managed.stats(81, 110).refused())
                .as("a second after the load has gone")
                .isZero();
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void degradation_sixThousandAgainstFourThousandEightHundred_p99Below130ms(long seed) {
        Simulation managed = mixed(new Simulation(seed, 160, 33.3, levels(ON)), second -> 1.25, 4_800);
        managed.run(40);

        Stats all = managed.stats(0, 40);
        assertThat(all.latencyMs(0.99)).isLessThan(130);
        assertThat(all.refusedPercent()).isCloseTo(20, within(1.0));
        assertThat(managed.stats(0, 40, "core").refused()).isZero();
        assertThat(managed.stats(0.5, 1).latencyMs(0.99))
                .as("under control within half a second")
                .isLessThan(200);
        assertThat(deviation(managed)).as("the refusals do not swing").isLessThan(0.05);
        LaneSnapshot lane = managed.qalm.lane("endpoint").snapshot();
        assertThat(lane.shedRatio()).isCloseTo(0.2, within(0.06));
    }

    /** The standard deviation of the refusals in ten intervals of 3 s, divided by their mean. */
    private static double deviation(Simulation managed) {
        double[] refusals = IntStream.range(0, 10)
                .mapToDouble(i -> managed.stats(10 + 3 * i, 13 + 3 * i).refused())
                .toArray();
        double mean = IntStream.range(0, 10).mapToDouble(i -> refusals[i]).sum() / 10;
        double squares = IntStream.range(0, 10)
                .mapToDouble(i -> Math.pow(refusals[i] - mean, 2))
                .sum();
        return Math.sqrt(squares / 10) / mean;
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void criticality_twoEqualCallers_theCriticalOneIsServedWhole(long seed) {
        Simulation managed =
                new Simulation(seed, 160, 46.4, Simulation.levels(ON, "document", 1, "document-staging", 3));
        managed.load(new Load("document", "read", 2_300)).load(new Load("document-staging", "read", 2_300));
        managed.run(40);

        assertThat(managed.stats(0, 40, "document").refused()).isZero();
        assertThat(managed.stats(0, 40, "document").latencyMs(0.99)).isLessThan(180);
        assertThat(managed.stats(0, 40, "document-staging").refusedPercent()).isCloseTo(50, within(3.0));
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void criticality_levelsSwappedMidway_theOtherIsServedWhole(long seed) {
        Simulation managed = new Simulation(seed, 16, 46.4, Simulation.levels(ON, "a", 1, "b", 3));
        managed.load(new Load("a", "read", 230)).load(new Load("b", "read", 230));
        managed.atSecond(20, () -> managed.qalm.apply(Simulation.levels(ON, "a", 3, "b", 1)));
        managed.run(40);

        assertThat(managed.stats(0, 20, "a").refused()).isZero();
        assertThat(managed.stats(20.5, 40, "b").refused()).isZero();
        assertThat(managed.stats(20.5, 40, "a").refusedPercent()).isGreaterThan(40);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void isolation_neighbourSpikes_theQuietEndpointIsNotTouched(long seed) {
        DoubleUnaryOperator spikes = second -> second < 30 ? 200 : second < 120 ? 1_200 : 1_800;
        Simulation none = isolation(seed, OFF, spikes);
        Simulation managed = isolation(seed, ON, spikes);

        assertThat(none.stats(60, 180, "checkout").usefulPerSecond()).isLessThan(1);
        Stats quiet = managed.stats(0, 180, "checkout");
        assertThat(quiet.count()).isGreaterThan(1_600);
        assertThat(quiet.samples()).allMatch(Simulation.Sample::inTime);
        assertThat(quiet.latencyMs(0.99))
                .isLessThan(1.5 * managed.stats(0, 30, "checkout").latencyMs(0.99));
        assertThat(managed.stats(120, 180, "shop").usefulPerSecond()).isGreaterThan(950);
    }

    private static Simulation isolation(long seed, LaneConfig lane, DoubleUnaryOperator spikes) {
        Simulation service = new Simulation(seed, 64, 64, Simulation.levels(lane));
        service.load(new Load("checkout", "apply", 10).timeoutMs(1_000));
        service.load(new Load("shop", "getProvidedCards", 0).rate(spikes));
        service.run(180);
        return service;
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void spike_threefold_costsNoCriticalCall(long seed) {
        DoubleUnaryOperator spike = second -> second > 10 && second < 30 ? 1.8 : 0.6;
        Simulation none = mixed(service(seed, OFF), spike);
        none.run(60);
        Simulation managed = mixed(service(seed, ON), spike);
        managed.run(60);

        assertThat(none.stats(10, 30).latencyMs(0.99)).isGreaterThan(10_000);
        assertThat(managed.stats(0, 60, "core").refused()).isZero();
        assertThat(managed.stats(10, 30, "core").latencyMs(0.99)).isLessThan(300);
        assertThat(managed.stats(10, 30).usefulPerSecond()).isGreaterThan(0.98 * CAPACITY);
        assertThat(managed.stats(31, 60).refused()).isZero();
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void dependency_fourTimesSlower_costsNoCriticalCall(long seed) {
        DoubleUnaryOperator slow = second -> second > 10 && second < 30 ? 4 : 1;
        Simulation managed = mixed(service(seed, ON), second -> 0.4);
        managed.slowdown = slow;
        managed.run(60);

        assertThat(managed.stats(0, 60, "core").refused()).isZero();
        assertThat(managed.stats(10, 30, "core").latencyMs(0.99)).isLessThan(1_000);
        assertThat(managed.stats(10, 30).usefulPerSecond())
                .as("the limit did not take slots away")
                .isGreaterThan(0.9 * CAPACITY / 4);
        assertThat(managed.stats(32, 60).refused()).isZero();
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void highLoad_belowCapacity_hardlyShedsAndNothingCritical(long seed) {
        Simulation at85 = mixed(service(seed, ON), second -> 0.85);
        at85.run(100);
        Simulation at93 = mixed(service(seed, ON), second -> 0.93);
        at93.run(100);

        assertThat(at85.stats(0, 100).refusedPercent()).isLessThan(0.6);
        assertThat(at93.stats(0, 100).refusedPercent()).isLessThan(3.5);
        assertThat(at93.stats(0, 100).latencyMs(0.99)).isLessThan(130);
        assertThat(at93.stats(0, 100, "core").refused()).isZero();
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void pauses_ofTheProcess_areNoOverload(long seed) {
        Simulation managed = mixed(service(seed, ON), second -> 0.58);
        IntStream.range(1, 20).forEach(i -> managed.pause(5 * i, 200));
        managed.run(100);

        assertThat(managed.stats(0, 100).latencyMs(0.99))
                .as("the pauses were felt")
                .isGreaterThan(150);
        assertThat(managed.stats(0, 100).refusedPercent()).isLessThan(0.1);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void criticalAlone_tooMuch_untilDeadline_keepsGoodput(long seed) {
        Simulation managed = criticalAlone(seed, ON);

        Stats core = managed.stats(2, 40, "core");
        assertThat(managed.stats(2, 40).usefulPerSecond()).isGreaterThan(0.98 * CAPACITY);
        assertThat(core.latencyMs(0.99)).isLessThan(450);
        assertThat(core.refused()).isEqualTo(core.refused(Refusal.CRITICAL_OVERFLOW));
        assertThat(managed.stats(0, 40, "infrastructure").refused()).isZero();
        assertThat(managed.stats(0, 40, "infrastructure").latencyMs(0.99)).isLessThan(200);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void criticalAlone_tooMuch_strict_refusesNobodyAndServesThemLate(long seed) {
        LaneConfig strict = ON.withNeverDrop(NeverDrop.STRICT);
        Simulation managed = new Simulation(seed, 16, 33.3, levels(strict));
        managed.load(new Load("core", "endpoint", 1.3 * CAPACITY));
        managed.run(40);

        assertThat(managed.stats(0, 40).refused()).isZero();
        assertThat(managed.stats(25, 30).latencyMs(0.5)).isGreaterThan(5_000);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void criticalAlone_oneCallerBeyondItsBudget_theOtherIsServedWhole(long seed) {
        Policy budget = endpoint -> new EndpointPolicy(
                ON,
                caller -> new CallerPolicy(
                        Criticality.CORE, caller.equals("loud") ? 100 : Double.POSITIVE_INFINITY, false));
        Simulation managed = new Simulation(seed, 16, 33.3, budget);
        managed.load(new Load("loud", "endpoint", 400)).load(new Load("modest", "endpoint", 250));
        managed.run(30);

        assertThat(managed.stats(0, 30, "modest").refused()).isZero();
        assertThat(managed.stats(0, 30, "modest").latencyMs(0.99)).isLessThan(200);
        assertThat(managed.stats(5, 30, "loud").usefulPerSecond()).isBetween(200.0, 260.0);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void criticalAlone_oneCallerMultipliesItsCalls_theLearnedBudgetSavesTheOther(long seed) {
        Simulation without = multiplied(seed, Double.POSITIVE_INFINITY);
        Simulation learned = multiplied(seed, CallerPolicy.LEARNED);

        assertThat(without.stats(705, 730, "modest").refusedPercent()).isGreaterThan(5);
        assertThat(learned.stats(0, 730, "modest").refusedPercent())
                .as("but for the first second, while the budget may be used ahead of its rate")
                .isLessThan(0.1);
        assertThat(learned.stats(705, 730, "modest").refused()).isZero();
        assertThat(learned.stats(705, 730, "modest").latencyMs(0.99)).isLessThan(200);
        assertThat(learned.stats(705, 730, "loud").usefulPerSecond()).isGreaterThan(200);
        assertThat(learned.qalm.lane("endpoint").snapshot().callers())
                .filteredOn(caller -> caller.caller().equals("loud"))
                .singleElement()
                .satisfies(caller -> {
                    assertThat(caller.learnedPerSecond()).isBetween(200.0, 340.0);
                    assertThat(caller.demoted()).isPositive();
                });
    }

    /** Two critical callers of 100 calls a second each; after eleven minutes one of them makes 600. */
    private static Simulation multiplied(long seed, double budget) {
        Policy policy = endpoint -> new EndpointPolicy(ON, caller -> new CallerPolicy(Criticality.CORE, budget, false));
        Simulation service = new Simulation(seed, 16, 33.3, policy);
        service.load(new Load("loud", "endpoint", 0)
                .rate(second -> second < 700 ? 100 : 600)
                .timeoutMs(1_000));
        service.load(new Load("modest", "endpoint", 100).timeoutMs(1_000));
        service.run(730);
        return service;
    }

    private static Simulation criticalAlone(long seed, LaneConfig lane) {
        Simulation managed = service(seed, lane);
        managed.load(new Load("core", "endpoint", 1.2 * CAPACITY).timeoutMs(1_000));
        managed.load(new Load("infrastructure", "endpoint", 0.1 * CAPACITY).timeoutMs(1_000));
        managed.run(40);
        return managed;
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void fairness_oneHeavyCaller_isShedFirst(long seed) {
        Simulation managed = service(seed, ON);
        managed.load(new Load("heavy", "endpoint", 0.8 * 1.3 * CAPACITY));
        IntStream.range(0, 4).forEach(i -> managed.load(new Load("light-" + i, "endpoint", 0.05 * 1.3 * CAPACITY)));
        managed.run(60);

        double heavy = managed.stats(20, 60, "heavy").refusedPercent();
        double light = managed.stats(20, 60, sample -> sample.caller().startsWith("light"))
                .refusedPercent();
        assertThat(heavy).isGreaterThan(20);
        assertThat(light).isLessThan(heavy / 4);
    }

    /** A tenth of the calls occupies eight workers at a time: 47 % of the work. Half of the other calls are critical. */
    private static Simulation heterogeneous(long seed, boolean lanesKnow) {
        Simulation service = new Simulation(seed, 32, 33.3, levels(ON));
        service.load(new Load("background", "endpoint", 80).weight(8, lanesKnow));
        service.load(new Load("core", "endpoint", 360));
        service.load(new Load("feature", "endpoint", 360));
        service.run(60);
        return service;
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void weights_someCallsWorkOnEightWorkers_noQueueGrowsWhereLanesCannotSeeIt(long seed) {
        Simulation unknown = heterogeneous(seed, false);
        Simulation known = heterogeneous(seed, true);

        assertThat(known.stats(5, 60, "core").refused()).isZero();
        assertThat(known.stats(5, 60, "core").latencyMs(0.99)).isLessThan(200);
        assertThat(unknown.stats(5, 60, "core").latencyMs(0.99))
                .isGreaterThan(1.15 * known.stats(5, 60, "core").latencyMs(0.99));
        LaneSnapshot lane = known.qalm.lane("endpoint").snapshot();
        assertThat(lane.capacityPerSecond()).as("in usual calls").isCloseTo(961, within(200.0));
        assertThat(lane.offeredPerSecond()).isCloseTo(80 * 8 + 720, within(250.0));
        assertThat(known.stats(5, 60, "background").usefulPerSecond()).isPositive();
        assertThat(lane.inflight()).isLessThanOrEqualTo(32);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shadow_underOverload_refusesNobodyAndReportsWhatItWouldHave(long seed) {
        Simulation shadow = mixed(service(seed, ON.withMode(Mode.SHADOW)), second -> 1.25);
        shadow.run(40);
        Simulation managed = mixed(service(seed, ON), second -> 1.25);
        managed.run(40);

        assertThat(shadow.stats(0, 40).refused()).isZero();
        LaneSnapshot would = Objects.requireNonNull(shadow.qalm.lane("endpoint").shadowSnapshot());
        double did = managed.qalm.lane("endpoint").snapshot().shed();
        assertThat(would.shed()).isCloseTo((long) did, within((long) (0.15 * did)));
        assertThat(would.level(Criticality.CORE).shed()).isZero();
        assertThat(shadow.qalm.lane("endpoint").snapshot().shed()).isZero();
    }
}
