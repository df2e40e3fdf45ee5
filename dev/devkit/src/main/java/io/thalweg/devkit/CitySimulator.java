package io.thalweg.devkit;

import io.thalweg.records.generate.SplitMix;
import java.util.List;

/**
 * The events of a simulated city: riders and drivers around wandering hot spots, as JSON of about 800 bytes with the fields
 * {@code event_id, event_type, rider_id} (or {@code driver_id}), {@code product_id, lat, lng, ts} (epoch milliseconds) and many
 * more that no view uses. Riders send {@code app_open, request, heartbeat, product_view, cancel}; drivers
 * {@code available, on_trip, offline}.
 *
 * <p><b>Time.</b> A slice is a range of <em>arrival</em> times. An event's own time is up to {@code maxDelayMs} earlier, mostly
 * far less, so events are slightly out of order, as from real telephones.
 *
 * <p><b>Determinism.</b> A pure function of the configuration and of time: however a span is cut into slices, the same events
 * come in the same order, on every JDK.
 *
 * <p><b>Threads.</b> Not safe to share; create one per thread, they give the same events. Several hundred thousand events per
 * second and core.
 */
public final class CitySimulator {
    /** Slices that begin and end at multiples of this many milliseconds are generated without waste. */
    public static final int TICK_MS = 100;

    private final CityConfig config;
    private final Stream riders;
    private final Stream drivers;

    /** Creates the city. */
    public CitySimulator(CityConfig config) {
        this.config = config;
        double driversPerSecond = config.eventsPerSecond() * config.driverShare();
        riders = new Stream(1, config.riders(), config.eventsPerSecond() - driversPerSecond, EventWriter.riders());
        drivers = new Stream(2, config.drivers(), driversPerSecond, EventWriter.drivers());
    }

    /** Returns the products of events, as UUID text; the same in every city, the most popular one first. */
    public static List<String> products() {
        return EventWriter.productIds();
    }

    /** Emits the riders' events that arrive in [fromMs, toMs), epoch milliseconds, in the order of arrival. */
    public void riderEvents(long fromMs, long toMs, EventSink sink) {
        riders.emit(fromMs, toMs, sink);
    }

    /** Emits the drivers' events that arrive in [fromMs, toMs), epoch milliseconds, in the order of arrival. */
    public void driverEvents(long fromMs, long toMs, EventSink sink) {
        drivers.emit(fromMs, toMs, sink);
    }

    /** One kind of sender. */
    private final class Stream {
        private final long seed;
        private final double eventsPerTick;
        private final Population population;
        private final EventWriter writer;
        private final CityMap map = new CityMap(config);

        Stream(int kind, int size, double eventsPerSecond, EventWriter writer) {
            this.seed = SplitMix.hash(config.seed(), kind);
            this.eventsPerTick = eventsPerSecond * TICK_MS / 1_000;
            this.population = new Population(size, eventsPerSecond, config.repeatShare());
            this.writer = writer;
        }

        void emit(long fromMs, long toMs, EventSink sink) {
            for (long tick = Math.floorDiv(fromMs, TICK_MS); tick * TICK_MS < toMs; tick++) {
                emitTick(tick, fromMs, toMs, sink);
            }
        }

        /** Emits a tick. Each has its own seed; one cut by the slice is generated whole and emitted in part. */
        private void emitTick(long tick, long fromMs, long toMs, EventSink sink) {
            int count = (int) (Math.floor((tick + 1) * eventsPerTick) - Math.floor(tick * eventsPerTick));
            if (count == 0) {
                return;
            }
            SplitMix random = new SplitMix(SplitMix.hash(seed, tick));
            map.at(tick * TICK_MS);
            for (int i = 0; i < count; i++) {
                long arrivalMs = tick * TICK_MS + (long) i * TICK_MS / count;
                event(arrivalMs, random, arrivalMs >= fromMs && arrivalMs < toMs ? sink : NO_SINK);
            }
        }

        private void event(long arrivalMs, SplitMix random, EventSink sink) {
            long person = SplitMix.hash(seed, population.draw(Math.floorDiv(arrivalMs, 60_000L), random));
            double luck = random.nextDouble();
            long timeMs = arrivalMs - Math.round(luck * luck * luck * luck * config.maxDelayMs());
            map.place(person, timeMs, random);
            byte[] id = writer.id(person);
            sink.event(timeMs, id, writer.event(id, person, timeMs, map, random));
        }
    }

    private static final EventSink NO_SINK = (timeMs, id, json) -> {};
}
