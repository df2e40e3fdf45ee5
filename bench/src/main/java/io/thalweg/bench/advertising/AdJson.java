package io.thalweg.bench.advertising;

import io.thalweg.bench.demand.Mix;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Events of a load as JSON texts of the published benchmark's shape.
 *
 * <p><b>Threads.</b> One.
 */
final class AdJson {
    private static final String[] EVENT_TYPES = {"view", "click", "purchase"};
    private static final byte[][] AD_TYPES = {
        text("banner"), text("modal"), text("sponsored-search"), text("mail"), text("mobile")
    };
    private static final byte[] USER = text("{\"user_id\":\"");
    private static final byte[] PAGE = text("\",\"page_id\":\"");
    private static final byte[] AD = text("\",\"ad_id\":\"");
    private static final byte[] AD_TYPE = text("\",\"ad_type\":\"");
    private static final byte[] EVENT_TYPE = text("\",\"event_type\":\"");
    private static final byte[] EVENT_TIME = text("\",\"event_time\":");
    private static final byte[] IP_ADDRESS = text(",\"ip_address\":\"1.2.3.4\"}");
    private static final int MOST_BYTES = 512;
    private static final int PAGES = 100;

    private final AdLoad load;
    private final byte[][] eventTypes;
    private final byte[] buffer = new byte[MOST_BYTES];
    private int length;

    AdJson(AdLoad load) {
        this.load = load;
        this.eventTypes = Arrays.stream(EVENT_TYPES).map(AdJson::text).toArray(byte[][]::new);
    }

    private static byte[] text(String ascii) {
        return ascii.getBytes(StandardCharsets.US_ASCII);
    }

    /** One of the load's events. */
    byte[] event(long event) {
        long draw = AdLoad.draw(event);
        return write(event, load.ad(draw), AdLoad.type(draw), load.timeMs(event));
    }

    /** An event that is no view, at a time when all windows are over. */
    byte[] last(long timeMs) {
        return write(0, 0, 1, timeMs);
    }

    private byte[] write(long event, int ad, int type, long timeMs) {
        length = 0;
        add(USER);
        addId(Mix.of(event, 1), Mix.of(event, 2));
        add(PAGE);
        long page = Mix.below(Mix.of(event, 3), PAGES);
        addId(Mix.of(page, 1), Mix.of(page, 2));
        add(AD);
        add(AdIds.ad(ad));
        add(AD_TYPE);
        add(AD_TYPES[Mix.below(Mix.of(event, 4), AD_TYPES.length)]);
        add(EVENT_TYPE);
        add(eventTypes[type]);
        add(EVENT_TIME);
        add(text(Long.toString(timeMs)));
        add(IP_ADDRESS);
        return Arrays.copyOf(buffer, length);
    }

    private void addId(long high, long low) {
        AdIds.write(high, low, buffer, length);
        length += AdIds.BYTES;
    }

    private void add(byte[] part) {
        System.arraycopy(part, 0, buffer, length, part.length);
        length += part.length;
    }
}
