package io.thalweg.bench.advertising;

import io.thalweg.bench.stores.RedisPipe;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Results in Redis in the layout of the published benchmark: the set {@code campaigns}; a hash for each campaign, from the start
 * of a window to the id of its counts, and from {@code windows} to the id of a list of all starts; and for each window a hash of
 * {@code seen_count} and {@code time_updated}. The benchmark's own check reads this layout, and so does {@link #read}.
 *
 * <p><b>Threads.</b> One.
 */
final class AdStore implements AutoCloseable {
    private static final byte[] CAMPAIGNS = RedisPipe.bytes("campaigns");
    private static final byte[] WINDOWS = RedisPipe.bytes("windows");
    private static final byte[] SEEN_COUNT = RedisPipe.bytes("seen_count");
    private static final byte[] TIME_UPDATED = RedisPipe.bytes("time_updated");
    private static final byte[] HSET = RedisPipe.bytes("HSET");
    private static final byte[] HGET = RedisPipe.bytes("HGET");
    private static final byte[] LPUSH = RedisPipe.bytes("LPUSH");
    private static final byte[] LRANGE = RedisPipe.bytes("LRANGE");
    private static final byte[] SADD = RedisPipe.bytes("SADD");

    private final RedisPipe redis;

    AdStore(int port) throws IOException {
        redis = new RedisPipe(port);
    }

    /** A campaign's count of one window. */
    record Row(int campaign, long windowEndMs, long count) {
        long windowStartMs() {
            return windowEndMs - AdLoad.WINDOW_MS;
        }
    }

    /** Deletes everything and writes the set of campaigns. */
    void begin(int campaigns) throws IOException {
        redis.command(RedisPipe.bytes("FLUSHALL"));
        for (int campaign = 0; campaign < campaigns; campaign++) {
            redis.command(SADD, CAMPAIGNS, RedisPipe.bytes(AdIds.campaign(campaign)));
        }
        redis.settle();
    }

    /** Writes rows, which are readable when it returns. An existing row is overwritten. */
    void write(List<Row> rows) throws IOException {
        byte[] now = RedisPipe.bytes(System.currentTimeMillis());
        for (Row row : rows) {
            byte[] campaign = RedisPipe.bytes(AdIds.campaign(row.campaign()));
            byte[] window = RedisPipe.bytes(AdIds.window(row.campaign(), row.windowStartMs()));
            redis.add(HSET, campaign, RedisPipe.bytes(row.windowStartMs()), window);
            redis.add(HSET, window, SEEN_COUNT, RedisPipe.bytes(row.count()), TIME_UPDATED, now);
        }
        redis.send();
        int listed = 0;
        for (Row row : rows) {
            boolean unseen = redis.number() == 1;
            redis.number();
            if (unseen) {
                addToList(row.campaign(), row.windowStartMs());
                listed++;
            }
        }
        redis.send();
        skip(2 * listed);
    }

    private void addToList(int campaign, long windowStartMs) {
        byte[] windows = RedisPipe.bytes(AdIds.windows(campaign));
        redis.add(HSET, RedisPipe.bytes(AdIds.campaign(campaign)), WINDOWS, windows);
        redis.add(LPUSH, windows, RedisPipe.bytes(windowStartMs));
    }

    private void skip(int replies) throws IOException {
        for (int i = 0; i < replies; i++) {
            Object unused = redis.reply();
        }
    }

    /** Reads all counts as the benchmark's own check does. */
    AdCounts read() throws IOException {
        AdCounts counts = new AdCounts();
        for (byte[] campaign : texts(redis.ask(RedisPipe.bytes("SMEMBERS"), CAMPAIGNS))) {
            byte[] list = (byte[]) redis.ask(HGET, campaign, WINDOWS);
            if (list == null) {
                continue; // a campaign may have no views
            }
            Set<Long> begins = new TreeSet<>();
            for (byte[] begin : texts(redis.ask(LRANGE, list, RedisPipe.bytes(0), RedisPipe.bytes(-1)))) {
                begins.add(Long.parseLong(text(begin)));
            }
            for (long begin : begins) {
                byte[] window = present(redis.ask(HGET, campaign, RedisPipe.bytes(begin)));
                long count = Long.parseLong(text(present(redis.ask(HGET, window, SEEN_COUNT))));
                counts.add(AdIds.campaignOf(text(campaign)), begin + AdLoad.WINDOW_MS, count);
            }
        }
        return counts;
    }

    private static List<byte[]> texts(@Nullable Object reply) {
        List<byte[]> texts = new ArrayList<>();
        ((List<?>) Objects.requireNonNull(reply)).forEach(text -> texts.add(present(text)));
        return texts;
    }

    private static String text(byte[] word) {
        return new String(word, StandardCharsets.US_ASCII);
    }

    private static byte[] present(@Nullable Object text) {
        if (text == null) {
            throw new IllegalStateException("Redis has a window without an id or a count");
        }
        return (byte[]) text;
    }

    @Override
    public void close() throws IOException {
        redis.close();
    }
}
