package io.thalweg.bench.demand;

import com.uber.h3core.util.LatLng;
import io.thalweg.bench.rivals.Hexagons;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Writes the JSON of an event, some 800 bytes as a ride app's gateway sends them, of which the view reads six fields. Constant
 * parts are copied from templates; times, identities, coordinates and readings are new in every event.
 *
 * <p><b>Threads.</b> One. Returned arrays are reused for a later event of the same length.
 */
final class EventText {
    private static final int TEMPLATES = 1_024;
    private static final int JITTER_MICRODEGREES = 200;
    private static final byte[] HEX = ascii("0123456789abcdef");
    /** Of 16 events 7 are of the first kind, and so on. */
    private static final List<String> KINDS = Stream.of(
                    Collections.nCopies(7, "app_open"),
                    Collections.nCopies(4, "request"),
                    Collections.nCopies(3, "heartbeat"),
                    List.of("product_view", "cancel"))
            .flatMap(List::stream)
            .toList();

    private static final String[] DEVICES = {
        "\"model\":\"iPhone15,3\",\"manufacturer\":\"Apple\",\"os\":\"ios\",\"os_version\":\"18.6.2\",\"screen\":\"1290x2796\"",
        "\"model\":\"iPhone14,7\",\"manufacturer\":\"Apple\",\"os\":\"ios\",\"os_version\":\"17.7.1\",\"screen\":\"1170x2532\"",
        "\"model\":\"SM-S921U\",\"manufacturer\":\"samsung\",\"os\":\"android\",\"os_version\":\"15\",\"screen\":\"1080x2340\"",
        "\"model\":\"Pixel 9\",\"manufacturer\":\"Google\",\"os\":\"android\",\"os_version\":\"16\",\"screen\":\"1080x2424\""
    };
    private static final String[] LOCALES = {
        "\"en-US\",\"currency\":\"USD\"",
        "\"es-US\",\"currency\":\"USD\"",
        "\"fr-CA\",\"currency\":\"CAD\"",
        "\"zh-Hans\",\"currency\":\"USD\""
    };
    private static final String[] NETWORKS = {
        "\"type\":\"5g\",\"carrier\":\"310260\"",
        "\"type\":\"lte\",\"carrier\":\"310410\"",
        "\"type\":\"wifi\",\"carrier\":\"311480\"",
        "\"type\":\"lte\",\"carrier\":\"312250\""
    };
    private static final String[] ARMS = {"control", "treatment_a", "treatment_b", "holdout"};
    private static final byte[] ID = ascii("{\"event_id\":\"");
    private static final byte[][] KIND = KINDS.stream()
            .map(kind -> ascii("\",\"event_type\":\"" + kind + "\",\"rider_id\":\""))
            .toArray(byte[][]::new);
    private static final byte[] PRODUCT = ascii("\",\"product_id\":\"");
    private static final byte[] LAT = ascii("\",\"lat\":");
    private static final byte[] LNG = ascii(",\"lng\":");
    private static final byte[] TS = ascii(",\"ts\":");

    /** The last part of an event, and the offsets in it of the values that differ between events. */
    private record Template(byte[] bytes, int device, int session, int latency, int accuracy, int heading, int speed) {
        static Template of(int number) {
            String text = ",\"schema_version\":3,\"region\":\"us-east\",\"app\":{\"version\":\"6.2%02d.1000%d\""
                            .formatted(number & 15, number % 10)
                    + ",\"channel\":\"store\",\"foreground\":true},\"device\":{\"id\":\"dddddddddddddddd\","
                    + DEVICES[number & 3] + "},\"locale\":" + LOCALES[number >> 2 & 3]
                    + ",\"timezone\":\"America/New_York\",\"session\":{\"id\":\"ssssssssssssssss\",\"sequence\":"
                    + (100 + number % 900) + "},\"network\":{" + NETWORKS[number >> 4 & 3]
                    + ",\"latency_ms\":111},\"location\":{\"provider\":\"fused\",\"accuracy_m\":22.2,\"heading_deg\":333,"
                    + "\"speed_mps\":44.4},\"experiments\":{\"eta_model_v7\":\"" + ARMS[number >> 6 & 3]
                    + "\",\"pricing_layout\":\"" + ARMS[number >> 8 & 3] + "\"},\"test_account\":false}";
            return new Template(
                    ascii(text),
                    text.indexOf("dddddddd"),
                    text.indexOf("ssssssss"),
                    text.indexOf("111}"),
                    text.indexOf("22.2,"),
                    text.indexOf("333,\"speed"),
                    text.indexOf("44.4}"));
        }
    }

    private final RiderEvents events;
    private final Template[] templates = new Template[TEMPLATES];
    private final byte[][] productIds;
    /** For each zone, latitude and longitude of its cells in millionths of a degree. */
    private final int[][] latMicro;

    private final int[][] lngMicro;
    private final int[] productOfZone;
    private final byte[] scratch = new byte[2_048];
    private final byte[] key = new byte[36];
    private final byte[][] byLength = new byte[scratch.length][];
    /** The random state of values that do not affect counts: event ids, steps within a cell, readings. */
    private long state;

    private int at;

    EventText(RiderEvents events, Cities cities, long seed) {
        this.events = events;
        this.state = Mix.of(seed, 0x74657874L);
        for (int t = 0; t < TEMPLATES; t++) {
            templates[t] = Template.of(t);
        }
        List<Cities.Zone> zones = cities.zones();
        latMicro = new int[zones.size()][];
        lngMicro = new int[zones.size()][];
        productOfZone = zones.stream().mapToInt(Cities.Zone::product).toArray();
        productIds = IntStream.range(0, Cities.PRODUCTS)
                .mapToObj(product -> ascii(Cities.product(product)))
                .toArray(byte[][]::new);
        for (int z = 0; z < latMicro.length; z++) {
            long[] cells = zones.get(z).cells();
            latMicro[z] = new int[cells.length];
            lngMicro[z] = new int[cells.length];
            for (int c = 0; c < cells.length; c++) {
                LatLng centre = Hexagons.H3.cellToLatLng(cells[c]);
                latMicro[z][c] = (int) Math.round(centre.lat * 1e6);
                lngMicro[z][c] = (int) Math.round(centre.lng * 1e6);
            }
        }
    }

    /** Returns the event drawn last as JSON; the array is valid until the next call. */
    byte[] write() {
        long traits = events.traits(events.rider());
        int zone = events.zone(traits);
        int cell = events.cell(traits);
        state = Mix.next(state);
        long dice = Mix.of(state);
        long more = Mix.of(dice);
        at = 0;
        raw(ID);
        uuid((dice & ~0xF000L) | 0x4000L, (more & 0x3FFFFFFFFFFFFFFFL) | 0x8000000000000000L, scratch, at);
        at += 36;
        raw(KIND[events.kind()]);
        uuid(riderHi(traits), riderLo(traits), key, 0);
        raw(key);
        raw(PRODUCT);
        raw(productIds[productOfZone[zone]]);
        raw(LAT);
        degrees(latMicro[zone][cell] + jitter(dice));
        raw(LNG);
        degrees(lngMicro[zone][cell] + jitter(dice >>> 20));
        raw(TS);
        number(events.timeMs(), 13);
        at += 13;
        template(templates[(int) traits & (TEMPLATES - 1)], traits, more);
        byte[] json = byLength[at];
        if (json == null) {
            json = new byte[at];
            byLength[at] = json;
        }
        System.arraycopy(scratch, 0, json, 0, at);
        return json;
    }

    /** Returns the key of the event written last: its rider's UUID as text. */
    byte[] key() {
        return key;
    }

    static long riderHi(long traits) {
        return (Mix.of(traits, 1) & ~0xF000L) | 0x4000L;
    }

    static long riderLo(long traits) {
        return (Mix.of(traits, 2) & 0x3FFFFFFFFFFFFFFFL) | 0x8000000000000000L;
    }

    /** Returns a shift of some 20 m at most, far less than from a cell's centre to its border. */
    private static int jitter(long bits) {
        return (int) (((bits & 0xFFFF) * 2 * JITTER_MICRODEGREES) >>> 16) - JITTER_MICRODEGREES;
    }

    private void template(Template template, long traits, long dice) {
        int from = at;
        raw(template.bytes);
        pairs(traits, 8, scratch, from + template.device);
        pairs(Mix.of(traits, 3), 8, scratch, from + template.session);
        int end = at;
        at = from + template.latency;
        number(100 + (dice & 127), 3);
        at = from + template.accuracy;
        tenths(100 + (dice >>> 7 & 511));
        at = from + template.heading;
        number(100 + (dice >>> 16 & 255), 3);
        at = from + template.speed;
        tenths(100 + (dice >>> 24 & 255));
        at = end;
    }

    private void raw(byte[] bytes) {
        System.arraycopy(bytes, 0, scratch, at, bytes.length);
        at += bytes.length;
    }

    private void degrees(int micro) {
        int size = Math.abs(micro);
        if (micro < 0) {
            scratch[at++] = '-';
        }
        int whole = size / 1_000_000;
        int digits = whole >= 100 ? 3 : whole >= 10 ? 2 : 1;
        number(whole, digits);
        at += digits;
        scratch[at++] = '.';
        number(size % 1_000_000, 6);
        at += 6;
    }

    /** Writes three digits with a point before the last. */
    private void tenths(long value) {
        number(value / 10, 2);
        scratch[at + 3] = (byte) ('0' + value % 10);
    }

    /** Writes a number with {@code digits} digits at {@code at}, which does not move. */
    private void number(long value, int digits) {
        long rest = value;
        for (int i = at + digits - 1; i >= at; i--) {
            scratch[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
    }

    private static void uuid(long hi, long lo, byte[] to, int from) {
        pairs(hi >>> 32, 4, to, from);
        to[from + 8] = '-';
        pairs(hi >>> 16, 2, to, from + 9);
        to[from + 13] = '-';
        pairs(hi, 2, to, from + 14);
        to[from + 18] = '-';
        pairs(lo >>> 48, 2, to, from + 19);
        to[from + 23] = '-';
        pairs(lo, 6, to, from + 24);
    }

    private static void pairs(long value, int bytes, byte[] to, int from) {
        for (int i = bytes - 1, shift = 0; i >= 0; i--, shift += 8) {
            to[from + 2 * i] = HEX[(int) (value >>> (shift + 4)) & 0xF];
            to[from + 2 * i + 1] = HEX[(int) (value >>> shift) & 0xF];
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
