package io.thalweg.devkit;

/**
 * The parameters of a simulated city.
 *
 * @param seed the same seed gives the same events
 * @param eventsPerSecond of riders and drivers together, per second of event time; above 0, at most 10,000,000
 * @param driverShare part of the events that drivers send, 0 to 1
 * @param centreLat degrees, at most 80 from the equator: nearer to a pole there is no east
 * @param centreLng degrees, -180 to 180
 * @param radiusKm the radius of the city, above 0, at most 200
 * @param riders the number of riders, at least 1
 * @param drivers the number of drivers, at least 1
 * @param hotSpots the number of places that attract riders and drivers, 1 to 200
 * @param repeatShare part of a minute's events whose sender has already sent one in that minute, 0 to 0.99; as long as
 *   there are enough riders or drivers
 * @param maxDelayMs the greatest delay of an event's arrival after its event time, 0 to 9,000
 */
public record CityConfig(
        long seed,
        double eventsPerSecond,
        double driverShare,
        double centreLat,
        double centreLng,
        double radiusKm,
        int riders,
        int drivers,
        int hotSpots,
        double repeatShare,
        int maxDelayMs) {
    public CityConfig {
        require("events_per_second", eventsPerSecond, Double.MIN_VALUE, 10_000_000, "1000");
        require("driver_share", driverShare, 0, 1, "0.3");
        require("centre_lat", centreLat, -80, 80, "40.75");
        require("centre_lng", centreLng, -180, 180, "-73.98");
        require("radius_km", radiusKm, Double.MIN_VALUE, 200, "12");
        require("riders", riders, 1, Integer.MAX_VALUE, "200000");
        require("drivers", drivers, 1, Integer.MAX_VALUE, "40000");
        require("hot_spots", hotSpots, 1, 200, "14");
        require("repeat_share", repeatShare, 0, 0.99, "0.7");
        require("max_delay_ms", maxDelayMs, 0, 9_000, "4000");
    }

    private static void require(String key, double value, double least, double most, String example) {
        if (!(value >= least && value <= most)) {
            throw new IllegalArgumentException("%s must be %s to %s, was %s; for example %s"
                    .formatted(
                            key,
                            least == Double.MIN_VALUE ? "above 0 and up" : number(least),
                            number(most),
                            number(value),
                            example));
        }
    }

    private static String number(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }

    /** A city of New York's place and size on a quiet day: 1,000 events a second, three in ten of them by drivers. */
    public static CityConfig defaults() {
        return new CityConfig(1, 1_000, 0.3, 40.7484, -73.9857, 12, 200_000, 40_000, 14, 0.7, 4_000);
    }

    /** The same city with another seed. */
    public CityConfig withSeed(long newSeed) {
        return new CityConfig(
                newSeed,
                eventsPerSecond,
                driverShare,
                centreLat,
                centreLng,
                radiusKm,
                riders,
                drivers,
                hotSpots,
                repeatShare,
                maxDelayMs);
    }

    /** The same city with another number of events per second of event time, riders and drivers together. */
    public CityConfig withEventsPerSecond(double newEventsPerSecond) {
        return new CityConfig(
                seed,
                newEventsPerSecond,
                driverShare,
                centreLat,
                centreLng,
                radiusKm,
                riders,
                drivers,
                hotSpots,
                repeatShare,
                maxDelayMs);
    }
}
