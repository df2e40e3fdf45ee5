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

    /** Formats 128 bits as an id. */
    static String id(long high, long low) {
        return new UUID(high, low).toString();
    }
}
