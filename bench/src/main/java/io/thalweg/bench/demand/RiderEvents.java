package io.thalweg.bench.demand;

/**
 * Who sends an event, when and where: a pure function of the seed, tick by tick, cheap enough to be drawn again for the recount.
 * {@link EventText} determines the contents of an event.
 *
 * <p><b>Shape.</b> A minute's events come from a pool of riders, a sixth of which is replaced every minute; a rider requests one
 * product in one cell. Nearly every rider of the pool counts once a minute, and all further events are repeats.
 *
 * <p><b>Threads.</b> One; {@link #draw} changes the answers of the other methods.
 */
final class RiderEvents {
    /** Of 16 events 11 are counted: {@code app_open} and {@code request}. */
    static final int KINDS = 16;

    static final int COUNTED_KINDS = 11;

    private static final int STAY_MINUTES = 6;
    private static final int POPULATION = 8;

    private final Cities cities;
    private final long seed;
    private final int pool;
    private final long riders;
    private final double eventsPerTick;

    private long state;
    private long timeMs;
    private long rider;
    private int inPool;
    private int kind;

    RiderEvents(Load load, Cities cities, long seed) {
        this.cities = cities;
        this.seed = seed;
        this.pool = load.ridersPerMinute();
        this.riders = (long) pool * POPULATION;
        this.eventsPerTick = load.eventsPerSecond() * Load.TICK_MS / 1_000.0;
    }

    /** Begins a tick; returns how many events arrive in it. */
    int begin(long tick) {
        state = Mix.of(seed, tick);
        return (int) (Math.floor((tick + 1) * eventsPerTick) - Math.floor(tick * eventsPerTick));
    }

    /** Draws the next event of the tick begun last. */
    void draw(long tick, int number, int count) {
        long dice = random();
        double luck = (dice >>> 40) * 0x1.0p-24;
        long arrivalMs = tick * Load.TICK_MS + number * Load.TICK_MS / count;
        timeMs = arrivalMs - (long) (luck * luck * luck * luck * Load.MAX_DELAY_MS);
        kind = (int) dice & (KINDS - 1);
        inPool = Mix.below(random(), pool);
        rider = rider(Math.floorDiv(timeMs, Load.MINUTE_MS), inPool);
    }

    private long random() {
        state = Mix.next(state);
        return Mix.of(state);
    }

    /** Returns a rider by the position in a minute's pool. */
    long rider(long minute, int place) {
        return Math.floorMod(minute * (pool / STAY_MINUTES) + place, riders);
    }

    /** The time of the event drawn last, epoch ms. */
    long timeMs() {
        return timeMs;
    }

    long rider() {
        return rider;
    }

    /** The sender's position in the pool of the event's minute. */
    int placeInPool() {
        return inPool;
    }

    int kind() {
        return kind;
    }

    boolean isCounted() {
        return kind < COUNTED_KINDS;
    }

    /** Returns a rider's own random bits. */
    long traits(long ofRider) {
        return Mix.of(seed ^ 0x7269646572L, ofRider);
    }

    /** Returns the zone of a rider. */
    int zone(long traits) {
        return cities.zoneOf((int) (traits >>> 48));
    }

    /** Returns the rider's cell, as a position in the zone's cells. */
    int cell(long traits) {
        return Cities.placeOf(cities.zones().get(zone(traits)), (traits >>> 16 & 0xFFFFFFFFL) * 0x1.0p-32);
    }
}
