package io.thalweg.bench.advertising;

import com.google.common.primitives.Ints;
import io.thalweg.bench.demand.Mix;
import java.util.Arrays;
import java.util.Collections;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The events of the advertising benchmark: drawn from their number alone, so that any process that draws them, in any number of parts, has
 * the same. Each shows one of ten ads per campaign and is one of three types; only views count. They are spread evenly over a
 * hundred seconds of event time: ten windows.
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

    private static volatile int[] table = {};

    /** So many events of so many campaigns. */
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

    @Override
    public void reached(int reader, long first, int count, long next) {
        int from = window(timeMs(first));
        int to = next < events ? window(timeMs(next)) : WINDOWS;
        for (int window = from; window < to; window++) {
            AdLatency.OF_PROCESS.passed(windowEndMs(window));
        }
    }

    /** The windows are numbered. */
    static int window(long timeMs) {
        return (int) ((timeMs - START_MS) / WINDOW_MS);
    }

    static long lastWindowEndMs() {
        return windowEndMs(WINDOWS - 1);
    }

    static long windowEndMs(int window) {
        return START_MS + (window + 1) * WINDOW_MS;
    }

    /** What an event is drawn from. */
    static long draw(long event) {
        return Mix.of(event);
    }

    /** One of the types. */
    static int type(long draw) {
        return Mix.below(draw << 32, TYPES);
    }

    /** One of the ads. */
    int ad(long draw) {
        return Mix.below(draw, campaigns * ADS_PER_CAMPAIGN);
    }

    /** Multiplied rather than divided, which would cost some systems as much as all the rest. */
    long timeMs(long event) {
        return START_MS + ((event * msPerEvent) >>> FRACTION_BITS);
    }

    /** The campaign of each ad: a table in memory, as all have it; made once in a process. */
    int[] campaignOfAd() {
        int[] made = table; // some systems ask for it with each event
        return made.length == campaigns * ADS_PER_CAMPAIGN ? made : makeTable();
    }

    private int[] makeTable() {
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

    /** What all counts must come to, counted in the plainest way. */
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
