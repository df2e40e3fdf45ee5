package io.thalweg.bench.advertising;

import io.thalweg.bench.demand.Mix;
import java.nio.charset.StandardCharsets;

/** Events of a load as JSON in the format of the published benchmark. */
record AdJson(AdLoad load) {
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
        String json = "{\"user_id\":\"" + AdIds.id(Mix.of(event, 1), Mix.of(event, 2))
                + "\",\"page_id\":\"" + AdIds.id(Mix.of(page, 1), Mix.of(page, 2))
                + "\",\"ad_id\":\"" + AdIds.ad(ad)
                + "\",\"ad_type\":\"" + adType
                + "\",\"event_type\":\"" + EVENT_TYPES[type]
                + "\",\"event_time\":" + timeMs
                + ",\"ip_address\":\"1.2.3.4\"}";
        return json.getBytes(StandardCharsets.US_ASCII);
    }
}
