package io.thalweg.bench.advertising;

import com.google.common.primitives.Ints;
import io.thalweg.bench.advertising.AdSource.Feed;
import io.thalweg.bench.demand.Mix;
import java.util.Arrays;
import java.util.Collections;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The events of the advertising benchmark. An event depends only on its number, so all processes draw the same events, in any
 * number of parts. Each shows one of ten ads per campaign and is of one of three types; only views count. They are spread evenly
 * over a hundred seconds of event time: ten windows.
 *
 * @param msPerEvent event time from one to the next, in 2<sup>-40</sup> ms
 */
public record AdLoad(int campaigns, long events, long msPerEvent) implements Feed {
    /** The type that counts. */
    static final int VIEW = 0;

    static final long WINDOW_MS = 10_000;
    static final long START_MS = 1_767_225_600_000L;

    private static final int ADS_PER_CAMPAIGN = 10;
    private static final int TYPES = 3;
    private static final int WINDOWS = 10;

    private static final int FRACTION_BITS = 40;

    private static int[] table = {};

    /** Creates a load of {@code events} events of {@code campaigns} campaigns. */
    static AdLoad of(int campaigns, long events) {
        return new AdLoad(campaigns, events, ((WINDOWS * WINDOW_MS) << FRACTION_BITS) / events);
    }

    @Override
    public long limit() {
        return events;
    }

    @Override
    public @Nullable CompletableFuture<Void> more() {
        return null;
    }

    @Override
    public long watermarkMs(long next) {
        return windowEndMs(window(timeMs(next)) - 1);
    }

    /** Returns the number of a window. */
    static int window(long timeMs) {
        return (int) ((timeMs - START_MS) / WINDOW_MS);
    }

    static long lastWindowEndMs() {
        return windowEndMs(WINDOWS - 1);
    }

    static long windowEndMs(int window) {
        return START_MS + (window + 1) * WINDOW_MS;
    }

    /** Returns the random bits of an event. */
    static long draw(long event) {
        return Mix.of(event);
    }

    /** Returns the type of an event. */
    static int type(long draw) {
        return Mix.below(draw << 32, TYPES);
    }

    /** Returns the ad of an event. */
    int ad(long draw) {
        return Mix.below(draw, campaigns * ADS_PER_CAMPAIGN);
    }

    /** Multiplies, because a division would cost some systems as much as the rest of their work. */
    long timeMs(long event) {
        return START_MS + ((event * msPerEvent) >>> FRACTION_BITS);
    }

    /** Returns the campaign of each ad; the array is created once per process. */
    int[] campaignOfAd() {
        synchronized (AdLoad.class) {
            if (table.length != campaigns * ADS_PER_CAMPAIGN) {
                int[] made = new int[campaigns * ADS_PER_CAMPAIGN];
                Arrays.setAll(made, ad -> ad / ADS_PER_CAMPAIGN);
                Collections.shuffle(Ints.asList(made), new Random(1));
                table = made;
            }
            return table;
        }
    }

    /** Counts in the plainest way what all systems must count. */
    AdCounts recount() {
        int[] campaignOf = campaignOfAd();
        int[] counts = new int[WINDOWS * campaigns];
        for (long event = 0; event < events; event++) {
            long draw = draw(event);
            if (type(draw) == VIEW) {
                counts[window(timeMs(event)) * campaigns + campaignOf[ad(draw)]]++;
            }
        }
        AdCounts all = new AdCounts();
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] > 0) {
                all.add(i % campaigns, windowEndMs(i / campaigns), counts[i]);
            }
        }
        return all;
    }
}
