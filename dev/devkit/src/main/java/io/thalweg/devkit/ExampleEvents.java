package io.thalweg.devkit;

import io.thalweg.records.generate.SplitMix;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/**
 * Writes the event files of {@code examples/}: five minutes of a small town's evening, of the ads that its people see and of
 * their orders. The argument is the folder.
 */
final class ExampleEvents {
    static final long FROM_MS = Instant.parse("2026-01-01T18:00:00Z").toEpochMilli();
    static final long TO_MS = Instant.parse("2026-01-01T18:05:00Z").toEpochMilli();
    static final int RIDERS = 1_000;
    static final int DRIVERS = 300;
    static final int ADS = 600;
    static final int ORDERS = 400;

    private static final double SECONDS = 300;
    private static final int CAMPAIGNS = 8;
    private static final int ADS_OF_CAMPAIGN = 10;
    private static final int MERCHANTS = 12;
    private static final List<String> AD_EVENTS = List.of("view", "click", "purchase");

    private ExampleEvents() {}

    /** Writes all files. */
    public static void main(String[] args) throws IOException {
        Path folder = Path.of(args[0]);
        Files.write(folder.resolve("rider-events.jsonl"), riders());
        Files.write(folder.resolve("driver-events.jsonl"), drivers());
        Files.write(folder.resolve("ad-events.jsonl"), ads());
        Files.write(folder.resolve("ads.csv"), adTable());
        Files.write(folder.resolve("orders.jsonl"), orders());
    }

    /** Events of ads, up to a second late, in the form of the Yahoo streaming benchmark. */
    static byte[] ads() {
        SplitMix random = new SplitMix(11);
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < ADS; i++) {
            int campaign = Math.min(random.nextInt(CAMPAIGNS), random.nextInt(CAMPAIGNS));
            lines.append(
                    "{\"user_id\":\"u%d\",\"page_id\":\"p%d\",\"ad_id\":\"ad%d\",\"ad_type\":\"banner\",\"event_type\":\"%s\",\"event_time\":%d,\"ip_address\":\"1.2.3.4\"}\n"
                            .formatted(
                                    random.nextInt(200),
                                    random.nextInt(50),
                                    ADS_OF_CAMPAIGN * campaign + random.nextInt(ADS_OF_CAMPAIGN),
                                    AD_EVENTS.get(random.nextInt(AD_EVENTS.size())),
                                    timeMs(i, ADS, 1_000, random)));
        }
        return lines.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the table of ads and their campaigns. */
    static byte[] adTable() {
        StringBuilder lines = new StringBuilder("ad_id,campaign_id\n");
        for (int ad = 0; ad < ADS_OF_CAMPAIGN * CAMPAIGNS; ad++) {
            lines.append("ad%d,c%d\n".formatted(ad, ad / ADS_OF_CAMPAIGN));
        }
        return lines.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Orders, up to five seconds late. */
    static byte[] orders() {
        SplitMix random = new SplitMix(12);
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < ORDERS; i++) {
            int merchant = Math.min(random.nextInt(MERCHANTS), random.nextInt(MERCHANTS));
            int cents = 100 + random.nextInt(1 + random.nextInt(20_000));
            lines.append(
                    "{\"order_id\":%d,\"merchant_id\":\"m%d\",\"customer_id\":\"k%d\",\"status\":\"%s\",\"amount\":%d.%02d,\"ts\":%d}\n"
                            .formatted(
                                    i,
                                    merchant,
                                    random.nextInt(90),
                                    random.nextInt(10) == 0 ? "cancelled" : "paid",
                                    cents / 100,
                                    cents % 100,
                                    timeMs(i, ORDERS, 5_000, random)));
        }
        return lines.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static long timeMs(int event, int events, int lateMs, SplitMix random) {
        return FROM_MS + event * (TO_MS - FROM_MS) / events - random.nextInt(lateMs);
    }

    static byte[] riders() {
        Lines lines = new Lines();
        new CitySimulator(town(RIDERS, 0)).riderEvents(FROM_MS, TO_MS, lines);
        return lines.bytes.toByteArray();
    }

    static byte[] drivers() {
        Lines lines = new Lines();
        new CitySimulator(town(DRIVERS, 1)).driverEvents(FROM_MS, TO_MS, lines);
        return lines.bytes.toByteArray();
    }

    private static CityConfig town(int events, double driverShare) {
        return new CityConfig(7, events / SECONDS, driverShare, 40.7484, -73.9857, 2, 2_000, 500, 4, 0.3, 4_000);
    }

    private static final class Lines implements EventSink {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        @Override
        public void event(long eventTimeMs, byte[] id, byte[] json) {
            bytes.writeBytes(json);
            bytes.write('\n');
        }
    }
}
