package io.thalweg.devkit;

import io.thalweg.records.generate.SplitMix;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/**
 * Writes the event files of {@code examples/}: five minutes of a small town's evening, of the ads that its people see and of
 * their orders, and the lunchtime orders of a kitchen that delivers. The argument is the folder.
 */
final class ExampleEvents {
    static final long FROM_MS = Instant.parse("2026-01-01T18:00:00Z").toEpochMilli();
    static final long TO_MS = Instant.parse("2026-01-01T18:05:00Z").toEpochMilli();
    static final int RIDERS = 1_000;
    static final int DRIVERS = 300;
    static final int ADS = 600;
    static final int ORDERS = 400;
    static final int MEALS = 480;

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
        Files.write(folder.resolve("orders.csv"), meals());
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

    /** Something to eat, and its price in cents. */
    private record Dish(String name, int cents) {}

    private static final List<Dish> DISHES = List.of(
            new Dish("ramen", 1_450),
            new Dish("pad thai", 1_290),
            new Dish("margherita", 1_150),
            new Dish("burrito", 990),
            new Dish("caesar salad", 1_080),
            new Dish("cheeseburger", 1_240),
            new Dish("pho", 1_390),
            new Dish("falafel", 870),
            new Dish("tiramisu", 650),
            new Dish("lemonade", 390));

    /**
     * Orders of customers who live around three squares in Manhattan, from 11:00 to 15:00 in New York with a peak at half past
     * twelve. A few customers order often. Orders arrive up to a minute late.
     */
    static byte[] meals() {
        SplitMix random = new SplitMix(13);
        double[][] squares = {{40.7359, -73.9911}, {40.7536, -73.9832}, {40.7711, -73.9742}};
        long fromMs = Instant.parse("2026-03-14T15:00:00Z").toEpochMilli();
        StringBuilder lines = new StringBuilder("order_id,ordered_at,customer_id,dish,quantity,amount,lat,lng\n");
        for (int i = 0; i < MEALS; i++) {
            int customer = Math.min(random.nextInt(60), random.nextInt(60));
            SplitMix home = new SplitMix(1_000L + customer);
            double[] square = squares[customer % squares.length];
            double lat = square[0] + 0.004 * (home.nextInt(2_001) + home.nextInt(2_001) - 2_000) / 1_000.0;
            double lng = square[1] + 0.005 * (home.nextInt(2_001) + home.nextInt(2_001) - 2_000) / 1_000.0;
            Dish dish = DISHES.get(Math.min(random.nextInt(DISHES.size()), home.nextInt(DISHES.size())));
            int quantity = 1 + random.nextInt(1 + random.nextInt(4));
            int cents = quantity * dish.cents;
            lines.append(String.format(
                    Locale.ROOT,
                    "%d,%s,c%02d,%s,%d,%d.%02d,%.4f,%.4f\n",
                    5_001 + i,
                    Instant.ofEpochSecond(fromMs / 1_000 + lunchSecond(i) - random.nextInt(60)),
                    customer,
                    dish.name,
                    quantity,
                    cents / 100,
                    cents % 100,
                    lat,
                    lng));
        }
        return lines.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the second of an order after eleven: half of them in the 80 minutes around half past twelve. */
    private static long lunchSecond(int order) {
        double share = (order + 0.5) / MEALS;
        double minute = share < 0.25
                ? 50 * share / 0.25
                : share < 0.75 ? 50 + 80 * (share - 0.25) / 0.5 : 130 + 110 * (share - 0.75) / 0.25;
        return Math.round(60 * minute);
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
