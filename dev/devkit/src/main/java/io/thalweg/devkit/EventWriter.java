package io.thalweg.devkit;

import static io.thalweg.devkit.JsonBuffer.ascii;

import io.thalweg.records.generate.SplitMix;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Writes events as a ride app's gateway would: the seven fields that views use, and many that they do not, about 800 bytes in
 * all. The sender's own bits select the texts, so that a person keeps their telephone.
 */
final class EventWriter {
    private static final long PRODUCTS_SEED = 0x7068616c776567L;

    private static final byte[][] PRODUCTS = products(5);
    private static final byte[][] RIDER_EVENTS =
            weighted("app_open 7", "request 4", "heartbeat 3", "product_view 1", "cancel 1");
    private static final byte[][] DRIVER_EVENTS = weighted("available 9", "on_trip 5", "offline 2");
    private static final byte[][] DEVICES = all(
            "\"model\":\"iPhone15,3\",\"manufacturer\":\"Apple\",\"os\":\"ios\",\"os_version\":\"18.6.2\",\"screen\":\"1290x2796\"",
            "\"model\":\"iPhone14,7\",\"manufacturer\":\"Apple\",\"os\":\"ios\",\"os_version\":\"17.7.1\",\"screen\":\"1170x2532\"",
            "\"model\":\"SM-S921U\",\"manufacturer\":\"samsung\",\"os\":\"android\",\"os_version\":\"15\",\"screen\":\"1080x2340\"",
            "\"model\":\"Pixel 9\",\"manufacturer\":\"Google\",\"os\":\"android\",\"os_version\":\"16\",\"screen\":\"1080x2424\"");
    private static final byte[][] LOCALES = all(
            "\"en-US\",\"currency\":\"USD\"",
            "\"es-US\",\"currency\":\"USD\"",
            "\"fr-CA\",\"currency\":\"CAD\"",
            "\"zh-Hans\",\"currency\":\"USD\"");
    private static final byte[][] NETWORKS = all(
            "\"type\":\"5g\",\"carrier\":\"310260\"",
            "\"type\":\"lte\",\"carrier\":\"310410\"",
            "\"type\":\"wifi\",\"carrier\":\"311480\"",
            "\"type\":\"lte\",\"carrier\":\"312250\"");
    private static final byte[][] ARMS = all("control", "treatment_a", "treatment_b", "holdout");
    private static final byte[][] VERSIONS = all("6.214.10003", "6.213.10001", "6.209.10007", "6.214.10001");

    private static final byte[] EVENT_ID = ascii("{\"event_id\":\"");
    private static final byte[] EVENT_TYPE = ascii("\",\"event_type\":\"");
    private static final byte[] RIDER_ID = ascii("\",\"rider_id\":\"");
    private static final byte[] DRIVER_ID = ascii("\",\"driver_id\":\"");
    private static final byte[] PRODUCT_ID = ascii("\",\"product_id\":\"");
    private static final byte[] LAT = ascii("\",\"lat\":");
    private static final byte[] LNG = ascii(",\"lng\":");
    private static final byte[] TS = ascii(",\"ts\":");
    private static final byte[] APP = ascii(",\"schema_version\":3,\"region\":\"us-east\",\"app\":{\"version\":\"");
    private static final byte[] DEVICE = ascii("\",\"channel\":\"store\",\"foreground\":true},\"device\":{\"id\":\"");
    private static final byte[] DEVICE_MORE = ascii("\",");
    private static final byte[] LOCALE = ascii("},\"locale\":");
    private static final byte[] SESSION = ascii(",\"timezone\":\"America/New_York\",\"session\":{\"id\":\"");
    private static final byte[] SEQUENCE = ascii("\",\"sequence\":");
    private static final byte[] NETWORK = ascii("},\"network\":{");
    private static final byte[] LATENCY = ascii(",\"latency_ms\":");
    private static final byte[] LOCATION = ascii("},\"location\":{\"provider\":\"fused\",\"accuracy_m\":");
    private static final byte[] HEADING = ascii(",\"heading_deg\":");
    private static final byte[] SPEED = ascii(",\"speed_mps\":");
    private static final byte[] EXPERIMENTS = ascii("},\"experiments\":{\"eta_model_v7\":\"");
    private static final byte[] PRICING = ascii("\",\"pricing_layout\":\"");
    private static final byte[] END = ascii("\"},\"test_account\":false}");

    private final JsonBuffer buffer = new JsonBuffer();
    private final byte[] idField;
    private final byte[][] eventTypes;

    private EventWriter(byte[] idField, byte[][] eventTypes) {
        this.idField = idField;
        this.eventTypes = eventTypes;
    }

    static EventWriter riders() {
        return new EventWriter(RIDER_ID, RIDER_EVENTS);
    }

    static EventWriter drivers() {
        return new EventWriter(DRIVER_ID, DRIVER_EVENTS);
    }

    /** Returns the products that every city offers, as UUID text. */
    static List<String> productIds() {
        return List.of(PRODUCTS).stream()
                .map(product -> new String(product, StandardCharsets.US_ASCII))
                .toList();
    }

    /** The UUID text of a person. */
    byte[] id(long person) {
        return buffer.clear().uuid(person, SplitMix.hash(person, 1)).copy();
    }

    /**
     * Writes one event.
     *
     * @param person the sender's own bits
     * @param timeMs event time
     */
    byte[] event(byte[] id, long person, long timeMs, CityMap place, SplitMix random) {
        long dice = random.nextLong();
        long traits = SplitMix.hash(person, 2);
        return buffer.clear()
                .raw(EVENT_ID)
                .uuid(random.nextLong(), dice)
                .raw(EVENT_TYPE)
                .raw(eventTypes[(int) (dice & 15)])
                .raw(idField)
                .raw(id)
                .raw(PRODUCT_ID)
                .raw(product(traits, dice))
                .raw(LAT)
                .fixed(place.latMicro(), 6, 1_000_000)
                .raw(LNG)
                .fixed(place.lngMicro(), 6, 1_000_000)
                .raw(TS)
                .number(timeMs)
                .raw(APP)
                .raw(VERSIONS[two(traits, 0)])
                .raw(DEVICE)
                .hex(traits, 16)
                .raw(DEVICE_MORE)
                .raw(DEVICES[two(traits, 2)])
                .raw(LOCALE)
                .raw(LOCALES[two(traits, 4)])
                .raw(SESSION)
                .hex(SplitMix.hash(person, timeMs / 1_800_000), 16)
                .raw(SEQUENCE)
                .number(1 + (dice >>> 20 & 255))
                .raw(NETWORK)
                .raw(NETWORKS[two(traits, 6)])
                .raw(LATENCY)
                .number(18 + (dice >>> 28 & 127))
                .raw(LOCATION)
                .fixed(30 + (dice >>> 35 & 255), 1, 10)
                .raw(HEADING)
                .number((dice >>> 43 & 511) % 360)
                .raw(SPEED)
                .fixed(dice >>> 52 & 127, 1, 10)
                .raw(EXPERIMENTS)
                .raw(ARMS[two(traits, 8)])
                .raw(PRICING)
                .raw(ARMS[two(traits, 10)])
                .raw(END)
                .copy();
    }

    /** Chooses a product: three events in four use the person's usual one. */
    private static byte[] product(long traits, long dice) {
        long choice = (dice >>> 4 & 3) == 0 ? dice >>> 6 & 1_023 : traits >>> 40 & 1_023;
        // The first product is the most popular of a city: it takes half, the others share the rest.
        return PRODUCTS[choice < 512 ? 0 : 1 + (int) (choice % (PRODUCTS.length - 1))];
    }

    private static int two(long bits, int shift) {
        return (int) (bits >>> shift) & 3;
    }

    private static byte[][] products(int count) {
        byte[][] products = new byte[count][];
        for (int i = 0; i < count; i++) {
            products[i] = new JsonBuffer()
                    .uuid(SplitMix.hash(PRODUCTS_SEED, i), SplitMix.hash(PRODUCTS_SEED, i + count))
                    .copy();
        }
        return products;
    }

    private static byte[][] all(String... texts) {
        byte[][] all = new byte[texts.length][];
        for (int i = 0; i < texts.length; i++) {
            all[i] = ascii(texts[i]);
        }
        return all;
    }

    /** Returns sixteen entries, each text as often as the number after it. */
    private static byte[][] weighted(String... textsAndWeights) {
        byte[][] all = new byte[16][];
        int next = 0;
        for (String textAndWeight : textsAndWeights) {
            int space = textAndWeight.indexOf(' ');
            for (int i = Integer.parseInt(textAndWeight.substring(space + 1)); i > 0; i--) {
                all[next++] = ascii(textAndWeight.substring(0, space));
            }
        }
        return all;
    }
}
