package io.thalweg.bench.advertising;

import io.thalweg.bench.demand.Mix;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/** Events of a load as JSON in the format of the published benchmark. */
record AdJson(AdLoad load) {
    static final String AD = "ad_id";
    private static final String[] EVENT_TYPES = {"view", "click", "purchase"};
    private static final String[] AD_TYPES = {"banner", "modal", "sponsored-search", "mail", "mobile"};
    private static final int PAGES = 100;

    /** Returns one of the load's events. */
    byte[] event(long event) {
        long draw = AdLoad.draw(event);
        return json(event, load.ad(draw), AdLoad.type(draw), load.timeMs(event));
    }

    /** Returns an event that is not a view, at a time when all windows have ended. */
    byte[] last(long timeMs) {
        return json(0, 0, 1, timeMs);
    }

    private static byte[] json(long event, int ad, int type, long timeMs) {
        long page = Mix.below(Mix.of(event, 3), PAGES);
        String adType = AD_TYPES[Mix.below(Mix.of(event, 4), AD_TYPES.length)];
        String json = "{\"user_id\":\"" + id(Mix.of(event, 1), Mix.of(event, 2))
                + "\",\"page_id\":\"" + id(Mix.of(page, 1), Mix.of(page, 2))
                + "\",\"" + AD + "\":\"" + ad(ad)
                + "\",\"ad_type\":\"" + adType
                + "\",\"event_type\":\"" + EVENT_TYPES[type]
                + "\",\"event_time\":" + timeMs
                + ",\"ip_address\":\"1.2.3.4\"}";
        return json.getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns a campaign's id: a UUID as in the published benchmark, always the same for the same number. */
    static String campaign(long campaign) {
        return id(Mix.of(campaign, 1), campaign);
    }

    /** Returns the number in a campaign's id. */
    static int campaignOf(String id) {
        return (int) UUID.fromString(id).getLeastSignificantBits();
    }

    static String ad(long ad) {
        return id(Mix.of(ad, 2), ad);
    }

    private static String id(long high, long low) {
        return new UUID(high, low).toString();
    }

    /**
     * Writes the campaigns of all ads, with which the published benchmark joins its events, as {@code ads.csv}: a line with the
     * names of the columns, then one line for each ad.
     */
    Path writeTable(Path folder) throws IOException {
        Path file = folder.resolve("ads.csv");
        int[] campaignOf = load.campaignOfAd();
        try (BufferedWriter out = Files.newBufferedWriter(file, StandardCharsets.US_ASCII)) {
            out.write(AD + ",campaign_id\n");
            for (int ad = 0; ad < campaignOf.length; ad++) {
                out.write(ad(ad) + "," + campaign(campaignOf[ad]) + "\n");
            }
        }
        return file;
    }
}
