package io.thalweg.server.read;

import io.thalweg.api.v1.LiveKey;
import io.thalweg.api.v1.LiveRow;
import io.thalweg.api.v1.LiveStatus;
import io.thalweg.live.LiveClient;
import io.thalweg.live.LiveView;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.KeyedRowCodec;
import io.thalweg.model.row.ReadStatus;
import io.thalweg.model.view.FeatureView;
import io.thalweg.server.read.ReadAnswer.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads the values that the running job has so far for windows that are still open.
 *
 * <p><b>Errors.</b> {@link io.thalweg.live.LiveUnavailableException} passes through.
 *
 * <p><b>Threads.</b> Safe. A read blocks on the job.
 */
public final class LiveReader {
    private final LiveClient client;
    private final Map<String, Codecs> views = new ConcurrentHashMap<>();

    public LiveReader(LiveClient client) {
        this.client = client;
    }

    /** Encodes the keys of a view and decodes its rows. */
    private record Codecs(LiveView keys, @Nullable KeyedRowCodec rows) {
        static Codecs of(FeatureView view) {
            return new Codecs(new LiveView(view), view.isKeyed() ? new KeyedRowCodec(view) : null);
        }
    }

    /**
     * Live values.
     *
     * @param watermarkMs the lowest of the shards that were asked; absent if one has none
     * @param rows one per key, in their order
     */
    record Live(OptionalLong watermarkMs, List<Row> rows) {}

    /** Returns the feature that views with rings have while their pane is open. */
    static String openCount(FeatureView view) {
        return "k0_" + view.windows().every().text();
    }

    /**
     * Reads keys.
     *
     * @param asked positions of the requested features among the view's; ignored for views with rings, which have one
     */
    Live read(FeatureView view, List<KeyParser.Key> keys, int[] asked, long nowMs) {
        Codecs codecs = views.computeIfAbsent(view.qualifiedName(), name -> Codecs.of(view));
        List<LiveKey> request = keys.stream()
                .map(key -> codecs.keys().key(key.stored().cell(), key.stored().group()))
                .toList();
        List<LiveRow> answer = client.read(codecs.keys(), request);
        List<Row> rows = new ArrayList<>(keys.size());
        for (int i = 0; i < keys.size(); i++) {
            rows.add(row(codecs, keys.get(i), answer.get(i), asked, nowMs));
        }
        return new Live(watermarkMs(answer), rows);
    }

    private static OptionalLong watermarkMs(List<LiveRow> answer) {
        return answer.stream().allMatch(LiveRow::hasWatermarkMs)
                ? answer.stream().mapToLong(LiveRow::getWatermarkMs).min()
                : OptionalLong.empty();
    }

    private static Row row(Codecs codecs, KeyParser.Key key, LiveRow live, int[] asked, long nowMs) {
        List<@Nullable Object> values = live.hasWindowEndMs() ? values(codecs, live, asked) : null;
        OptionalLong endMs = live.hasWindowEndMs() ? OptionalLong.of(live.getWindowEndMs()) : OptionalLong.empty();
        return new Row(
                key.canonical(),
                status(codecs, live, values),
                values == null ? null : Finality.PARTIAL,
                endMs,
                endMs.isPresent() ? OptionalLong.of(nowMs - endMs.getAsLong()) : endMs,
                values);
    }

    private static @Nullable List<@Nullable Object> values(Codecs codecs, LiveRow live, int[] asked) {
        KeyedRowCodec rows = codecs.rows();
        if (rows == null) {
            return List.of((double) live.getCount());
        }
        return live.getStatus() == LiveStatus.FOUND
                ? FeatureReader.chosen(
                        rows.decodeRow(live.getPacked().toByteArray()).values(), asked)
                : null;
    }

    private static ReadStatus status(Codecs codecs, LiveRow live, @Nullable List<@Nullable Object> values) {
        if (values == null) {
            return ReadStatus.NOT_FOUND;
        }
        return codecs.rows() == null && live.getCount() == 0 ? ReadStatus.ZERO : ReadStatus.PRESENT;
    }
}
