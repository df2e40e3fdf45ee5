package io.thalweg.bench.advertising;

import io.thalweg.bench.stores.RedisPipe;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Results in Redis as the published benchmark lays them out: the set {@code campaigns}; a hash for each of them, from the begin of
 * a window to the id of what is kept of it, and from {@code windows} to the id of a list of all begins; and for each window a hash
 * of {@code seen_count} and {@code time_updated}. Its check reads them back from there, and so does {@link #read}.
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
    private static final int BATCH = 512;

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

    /** Forgets everything, and makes the campaigns known. */
    void begin(int campaigns) throws IOException {
        redis.add(RedisPipe.bytes("FLUSHALL"));
        redis.send();
        redis.reply();
        for (int from = 0; from < campaigns; from += BATCH) {
            int to = Math.min(from + BATCH, campaigns);
            byte[][] words = new byte[2 + to - from][];
            words[0] = SADD;
            words[1] = CAMPAIGNS;
            for (int campaign = from; campaign < to; campaign++) {
                words[2 + campaign - from] = AdIds.campaign(campaign);
            }
            redis.add(words);
            redis.send();
            redis.reply();
        }
    }

    /** Writes rows; when it returns, they can be read. An existing one is overwritten. */
    void write(List<Row> rows) throws IOException {
        byte[] now = RedisPipe.bytes(System.currentTimeMillis());
        for (Row row : rows) {
            byte[] window = AdIds.window(row.campaign(), row.windowStartMs());
            redis.add(HSET, AdIds.campaign(row.campaign()), RedisPipe.bytes(row.windowStartMs()), window);
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
        byte[] windows = AdIds.windows(campaign);
        redis.add(HSET, AdIds.campaign(campaign), WINDOWS, windows);
        redis.add(LPUSH, windows, RedisPipe.bytes(windowStartMs));
    }

    private void skip(int replies) throws IOException {
        for (int i = 0; i < replies; i++) {
            Object unused = redis.reply();
        }
    }

    /** All counts, found as the benchmark's own check finds them. */
    AdCounts read() throws IOException {
        AdCounts counts = new AdCounts();
        redis.add(RedisPipe.bytes("SMEMBERS"), CAMPAIGNS);
        redis.send();
        List<byte @Nullable []> campaigns = redis.texts();
        for (int from = 0; from < campaigns.size(); from += BATCH) {
            read(campaigns.subList(from, Math.min(from + BATCH, campaigns.size())), counts);
        }
        return counts;
    }

    private void read(List<byte @Nullable []> campaigns, AdCounts counts) throws IOException {
        List<byte[]> listed = new ArrayList<>();
        List<byte[]> lists = new ArrayList<>();
        campaigns.forEach(campaign -> redis.add(HGET, present(campaign), WINDOWS));
        redis.send();
        for (byte[] campaign : campaigns) {
            byte[] list = redis.text();
            if (list != null) { // some campaign may have no view
                listed.add(present(campaign));
                lists.add(list);
            }
        }
        lists.forEach(list -> redis.add(LRANGE, list, RedisPipe.bytes(0), RedisPipe.bytes(-1)));
        redis.send();
        List<Set<Long>> begins = new ArrayList<>();
        for (int i = 0; i < lists.size(); i++) {
            begins.add(
                    redis.texts().stream().map(begin -> parse(present(begin))).collect(Collectors.toSet()));
        }
        for (int i = 0; i < listed.size(); i++) {
            for (long begin : begins.get(i)) {
                redis.add(HGET, listed.get(i), RedisPipe.bytes(begin));
            }
        }
        redis.send();
        List<byte[]> windows = new ArrayList<>();
        for (Set<Long> of : begins) {
            for (int i = 0; i < of.size(); i++) {
                windows.add(present(redis.text()));
            }
        }
        windows.forEach(window -> redis.add(HGET, window, SEEN_COUNT));
        redis.send();
        for (int i = 0; i < listed.size(); i++) {
            for (long begin : begins.get(i)) {
                counts.add(AdIds.campaignOf(listed.get(i)), begin + AdLoad.WINDOW_MS, parse(present(redis.text())));
            }
        }
    }

    private static long parse(byte[] digits) {
        return Long.parseLong(new String(digits, java.nio.charset.StandardCharsets.US_ASCII));
    }

    private static byte[] present(byte @Nullable [] text) {
        if (text == null) {
            throw new IllegalStateException("Redis has a window without an id or a count");
        }
        return text;
    }

    @Override
    public void close() throws IOException {
        redis.close();
    }
}
