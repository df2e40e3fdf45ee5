package io.thalweg.bench.advertising;

import io.thalweg.bench.demand.Mix;
import java.util.UUID;

/**
 * The ids of the published benchmark, where numbers of this one have the form of UUIDs. They are computed from the numbers, so
 * the same number always has the same id.
 */
final class AdIds {
    private static final int CAMPAIGN = 1;
    private static final int AD = 2;
    private static final int WINDOW = 3;
    private static final int WINDOWS = 4;

    private AdIds() {}

    static String campaign(long campaign) {
        return id(Mix.of(campaign, CAMPAIGN), campaign);
    }

    /** Returns the number in a campaign's id. */
    static int campaignOf(String id) {
        return (int) UUID.fromString(id).getLeastSignificantBits();
    }

    static String ad(long ad) {
        return id(Mix.of(ad, AD), ad);
    }

    /** Returns the id of the hash of one window of a campaign. */
    static String window(long campaign, long windowStartMs) {
        return id(Mix.of(campaign, WINDOW), windowStartMs);
    }

    /** Returns the id of the list of a campaign's windows. */
    static String windows(long campaign) {
        return id(Mix.of(campaign, WINDOWS), campaign);
    }

    /** Formats 128 bits as an id. */
    static String id(long high, long low) {
        return new UUID(high, low).toString();
    }
}
