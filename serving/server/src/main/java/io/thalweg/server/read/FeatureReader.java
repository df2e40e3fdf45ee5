package io.thalweg.server.read;

import io.thalweg.model.problem.Suggestion;
import io.thalweg.model.row.DoubleValues;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.ReadOutcome;
import io.thalweg.model.row.ReadRule;
import io.thalweg.model.row.ReadStatus;
import io.thalweg.model.row.RowValues;
import io.thalweg.model.row.StoredRow;
import io.thalweg.model.view.FeatureView;
import io.thalweg.server.http.RefusedRequestException;
import io.thalweg.server.http.RequestProblems;
import io.thalweg.server.read.ReadAnswer.Row;
import io.thalweg.server.read.ReadRequest.ReadFrom;
import io.thalweg.server.telemetry.RequestSpan;
import io.thalweg.server.versions.ServedViews;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.PerView;
import io.thalweg.store.ReadRows;
import io.thalweg.store.Retention;
import io.thalweg.store.StoreKey;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Answers reads in the same way for both protocols.
 *
 * <p><b>Errors.</b> {@link RefusedRequestException} for mistakes of the caller; {@link io.thalweg.store.StoreException} passes through.
 *
 * <p><b>Threads.</b> Safe. A read blocks on the store.
 */
public final class FeatureReader {
    static final int MAX_KEYS = 1_000;

    private static final long[] NO_ENDS = {};

    private final ServedViews views;
    private final OnlineStore store;
    private final @Nullable LiveReader live;
    private final Clock clock;
    private final ReadMetrics metrics;
    private final ServingLog servingLog;
    private final PerView<List<String>> featureNames = new PerView<>(FeatureView::featureNames);

    /**
     * Creates a reader of these views.
     *
     * @param live null where no job is known
     * @param servingLog is offered the answers to reads of current rows in the store
     */
    public FeatureReader(
            ServedViews views,
            OnlineStore store,
            @Nullable LiveReader live,
            Clock clock,
            ReadMetrics metrics,
            ServingLog servingLog) {
        this.views = views;
        this.store = store;
        this.live = live;
        this.clock = clock;
        this.metrics = metrics;
        this.servingLog = servingLog;
    }

    public List<FeatureView> views() {
        return views.all();
    }

    /**
     * Returns the view that a name refers to now. A request looks it up once, because the name may be switched to another version
     * meanwhile.
     *
     * @throws RefusedRequestException if there is none
     */
    public FeatureView view(String name) {
        return views.get(name);
    }

    /** Returns the refusal of a feature service; this version has no definitions of them. */
    public static RefusedRequestException noService(String name) {
        return new RefusedRequestException(
                RefusedRequestException.Code.NOT_FOUND,
                "feature service '" + name + "' is not served: no feature service is defined; read views instead");
    }

    public OptionalLong watermark(FeatureView view) {
        return store.watermark(view.qualifiedName());
    }

    /** The feature of a view with rings that can be read live; empty where no job is known. */
    public Optional<String> liveFeature(FeatureView view) {
        return Optional.ofNullable(live).map(job -> LiveReader.openCount(view));
    }

    /** Whether a job is known that can answer live reads. */
    public boolean readsLive() {
        return live != null;
    }

    public long nowMs() {
        return clock.millis();
    }

    public ReadAnswer read(ReadRequest request) {
        return read(view(request.view()), request);
    }

    /** Reads this view; the name in the request is ignored. */
    public ReadAnswer read(FeatureView view, ReadRequest request) {
        RequestSpan.describe(view, request.entities().size(), request.readFrom().name());
        return timed(
                view,
                request.readFrom(),
                () -> request.readFrom() == ReadFrom.STORE ? stored(view, request) : live(view, request));
    }

    private ReadAnswer timed(FeatureView view, ReadFrom from, Supplier<ReadAnswer> read) {
        long begin = System.nanoTime();
        try {
            return read.get();
        } finally {
            metrics.record(view, from, System.nanoTime() - begin);
        }
    }

    /** Reads the open window of each key; for BOTH, after its row in the store. */
    private ReadAnswer live(FeatureView view, ReadRequest request) {
        LiveReader job = live;
        if (job == null) {
            throw RefusedRequestException.invalid(
                    "read_from: " + request.readFrom()
                            + " needs a running job: serve with thalweg run, or name its cluster as flink.rest in thalweg.yaml");
        }
        if (request.asOf() != null) {
            throw RefusedRequestException.invalid(
                    "as_of: does not go with read_from " + request.readFrom() + "; leave one out");
        }
        List<String> names = liveFeatures(view, request);
        boolean both = request.readFrom() == ReadFrom.BOTH;
        ReadAnswer stored = both ? stored(view, request.withFeatures(names)) : null;
        int[] asked = view.isKeyed() ? features(view, names) : new int[] {0};
        List<KeyParser.Key> keys = keys(view, request.entities());
        LiveReader.Live now =
                RequestSpan.traced("live.read", view, keys.size(), () -> job.read(view, keys, asked, nowMs()));
        if (stored == null) {
            return new ReadAnswer(view.qualifiedName(), now.watermarkMs(), names, now.rows());
        }
        List<Row> rows = new ArrayList<>(2 * now.rows().size());
        for (int i = 0; i < now.rows().size(); i++) {
            rows.add(stored.rows().get(i));
            rows.add(now.rows().get(i));
        }
        return new ReadAnswer(view.qualifiedName(), stored.watermarkMs(), names, rows);
    }

    /**
     * Returns the features of a live read; views with rings have a single one while their pane is open, whatever their features
     * are.
     */
    private static List<String> liveFeatures(FeatureView view, ReadRequest request) {
        if (view.isKeyed()) {
            return request.features().isEmpty() ? view.featureNames() : request.features();
        }
        String openCount = LiveReader.openCount(view);
        RequestProblems problems = new RequestProblems();
        if (request.features().size() > 1) {
            throw RefusedRequestException.invalid(
                    "features: read_from %s of a view with rings has %s only, was %d names"
                            .formatted(
                                    request.readFrom(),
                                    openCount,
                                    request.features().size()));
        }
        for (String name : request.features()) {
            if (!name.equals(openCount)) {
                problems.add(
                        "features[0]",
                        () -> "read_from %s of a view with rings has %s only, was '%s'"
                                .formatted(request.readFrom(), openCount, name));
            }
        }
        if (request.readFrom() == ReadFrom.BOTH && !view.featureNames().contains(openCount)) {
            problems.add(
                    "read_from", "the store has no " + openCount + " of view " + view.qualifiedName() + "; use LIVE");
        }
        problems.throwIfAny();
        return List.of(openCount);
    }

    private ReadAnswer stored(FeatureView view, ReadRequest request) {
        int[] asked = features(view, featureNames.of(view), request.features());
        List<KeyParser.Key> keys = keys(view, request.entities());
        Instant asOf = request.asOf();
        if (asOf == null) {
            ReadRule rule = ReadRule.of(view);
            ReadRows found = RequestSpan.traced("store.read", view, keys.size(), () -> store.read(view, stored(keys)));
            long nowMs = nowMs();
            long watermarkMs = found.watermarkMs().orElse(ReadOutcome.NONE);
            ReadAnswer answer = answer(
                    view,
                    keys,
                    asked,
                    found,
                    i -> rule.latest(nowMs, watermarkMs, found.rows().get(i)),
                    nowMs);
            servingLog.offer(view, nowMs, answer);
            return answer;
        }
        long asOfMs = asOfMs(view, asOf);
        ReadRows found = RequestSpan.traced(
                "store.read_as_of", view, keys.size(), () -> store.readAsOf(view, stored(keys), asOfMs));
        requireReached(asOfMs, found.watermarkMs());
        return asOf(view, keys, asked, found, i -> asOfMs);
    }

    /**
     * Judges each row as of its own time.
     *
     * @param asOfMs returns the time for the row at an index, epoch ms
     */
    private ReadAnswer asOf(
            FeatureView view, List<KeyParser.Key> keys, int[] asked, ReadRows found, IntToLongFunction asOfMs) {
        ReadRule rule = ReadRule.of(view);
        long nowMs = nowMs();
        long watermarkMs = found.watermarkMs().orElse(ReadOutcome.NONE);
        return answer(
                view,
                keys,
                asked,
                found,
                i -> rule.asOf(
                        nowMs, watermarkMs, asOfMs.applyAsLong(i), found.rows().get(i)),
                nowMs);
    }

    /**
     * Returns one row for each of the latest window ends that have not expired, the oldest first, as {@link #read} answers it as
     * of that end. There are no rows if the view has no watermark.
     */
    public ReadAnswer history(HistoryRequest request) {
        FeatureView view = view(request.view());
        RequestSpan.describe(view, request.entities().size(), ReadFrom.STORE.name());
        return timed(view, ReadFrom.STORE, () -> history(view, request));
    }

    private ReadAnswer history(FeatureView view, HistoryRequest request) {
        requireCells(view);
        if (request.entities().size() != 1) {
            throw RefusedRequestException.invalid(
                    "entities: must be one key, because each of its window ends is a row, was "
                            + request.entities().size() + "; send several requests");
        }
        int[] asked = features(view, featureNames.of(view), request.features());
        List<KeyParser.Key> keys = keys(view, request.entities());
        OptionalLong watermarkMs = watermark(view);
        Instant asOf = request.asOf();
        requireHistory(view);
        long newestMs = asOf == null ? watermarkMs.orElse(ReadOutcome.NONE) : asOfMs(view, asOf);
        requireReached(newestMs, watermarkMs);
        long[] ends = watermarkMs.isEmpty() ? NO_ENDS : ends(view, newestMs, request.last());
        if (ends.length == 0) {
            return answer(view, watermarkMs, asked, List.of());
        }
        ReadRows found = RequestSpan.traced(
                "store.read_history",
                view,
                ends.length,
                () -> store.readHistory(view, keys.get(0).stored(), ends));
        return asOf(view, Collections.nCopies(ends.length, keys.get(0)), asked, found, i -> ends[i]);
    }

    /** Returns the last window ends up to a time whose rows have not expired, ascending. */
    private long[] ends(FeatureView view, long upToMs, int last) {
        long everyMs = view.clock().everyMs();
        long oldestMs = Retention.of(view).oldestMs(nowMs());
        return LongStream.iterate(view.clock().lastEndMs(upToMs), endMs -> endMs >= oldestMs, endMs -> endMs - everyMs)
                .limit(last)
                .sorted()
                .toArray();
    }

    private ReadAnswer answer(
            FeatureView view,
            List<KeyParser.Key> keys,
            int[] asked,
            ReadRows found,
            IntFunction<ReadOutcome> judge,
            long nowMs) {
        List<Row> rows = new ArrayList<>(keys.size());
        for (int i = 0; i < keys.size(); i++) {
            Readers.requireWanted();
            StoredRow stored = found.rows().get(i);
            ReadOutcome outcome = judge.apply(i);
            String unreadable = found.unreadable().get(i);
            if (unreadable != null) {
                metrics.unreadable(view, keys.get(i).canonical(), unreadable);
                outcome = new ReadOutcome(ReadStatus.UNREADABLE, ReadOutcome.NONE);
            }
            rows.add(row(keys.get(i), outcome, stored, asked, nowMs));
        }
        return answer(view, found.watermarkMs(), asked, rows);
    }

    private ReadAnswer answer(FeatureView view, OptionalLong watermarkMs, int[] asked, List<Row> rows) {
        List<String> names = featureNames.of(view);
        return new ReadAnswer(
                view.qualifiedName(),
                watermarkMs,
                isAll(asked, names.size())
                        ? names
                        : Arrays.stream(asked).mapToObj(names::get).toList(),
                rows);
    }

    /** Returns a row of the answer. A zero is final, because the watermark has passed its window end. */
    private static Row row(
            KeyParser.Key key, ReadOutcome outcome, @Nullable StoredRow stored, int[] asked, long nowMs) {
        Finality finality = null;
        List<@Nullable Object> values = null;
        if (outcome.status() == ReadStatus.PRESENT && stored != null) {
            finality = stored.finality();
            values = chosen(stored.values(), asked);
        } else if (outcome.status() == ReadStatus.ZERO) {
            finality = Finality.FINAL;
            values = DoubleValues.zeros(asked.length);
        }
        long endMs = outcome.windowEndMs();
        boolean timed = endMs != ReadOutcome.NONE;
        return new Row(
                key.canonical(),
                outcome.status(),
                finality,
                timed ? OptionalLong.of(endMs) : OptionalLong.empty(),
                timed ? OptionalLong.of(nowMs - endMs) : OptionalLong.empty(),
                values);
    }

    /** Returns the positions of the requested features: at most as many as the view has, without duplicates. */
    public static int[] features(FeatureView view, List<String> asked) {
        return features(view, view.featureNames(), asked);
    }

    private static int[] features(FeatureView view, List<String> names, List<String> asked) {
        if (asked.isEmpty()) {
            return IntStream.range(0, names.size()).toArray();
        }
        if (asked.size() > names.size()) {
            throw RefusedRequestException.invalid("features: view %s has %d, was %d names; leave features out for all"
                    .formatted(view.qualifiedName(), names.size(), asked.size()));
        }
        RequestProblems problems = new RequestProblems();
        int[] indexes = new int[asked.size()];
        BitSet seen = new BitSet();
        for (int i = 0; i < asked.size(); i++) {
            String name = asked.get(i);
            int index = names.indexOf(name);
            indexes[i] = index;
            if (index < 0) {
                problems.add(
                        "features[" + i + "]",
                        () -> "'" + name + "' is not a feature of view " + view.qualifiedName() + "; "
                                + Suggestion.hint(name, names));
            } else if (seen.get(index)) {
                problems.add("features[" + i + "]", () -> "'" + name + "' is named twice; name it once");
            } else {
                seen.set(index);
            }
        }
        problems.throwIfAny();
        return indexes;
    }

    private static List<KeyParser.Key> keys(FeatureView view, List<Map<String, Object>> entities) {
        if (entities.size() > MAX_KEYS) {
            throw RefusedRequestException.invalid(
                    "entities: at most " + MAX_KEYS + " keys, was " + entities.size() + "; send several requests");
        }
        return new KeyParser(view).parse(entities);
    }

    private static boolean isAll(int[] asked, int count) {
        int place = 0;
        while (place < asked.length && asked[place] == place) {
            place++;
        }
        return place == count;
    }

    /** Returns the values of the requested features. */
    static List<@Nullable Object> chosen(List<@Nullable Object> all, int[] asked) {
        if (all instanceof RowValues known) {
            return isAll(asked, known.size()) ? known : known.at(asked);
        }
        List<@Nullable Object> values = new ArrayList<>(asked.length);
        for (int feature : asked) {
            values.add(all.get(feature));
        }
        return values;
    }

    /** Returns the requested time, if rows of it are kept. */
    public static long asOfMs(FeatureView view, Instant asOf) {
        requireHistory(view);
        return epochMs(asOf);
    }

    /**
     * Returns the view if it can be scanned.
     *
     * @throws RefusedRequestException if its rows have no cells
     */
    public static FeatureView requireCells(FeatureView view) {
        if (view.isKeyed()) {
            throw RefusedRequestException.invalid(
                    "view " + view.qualifiedName() + " has no cell, so it has no regions; read its keys with "
                            + "POST /v1/views/" + view.qualifiedName() + ":read");
        }
        return view;
    }

    private static void requireHistory(FeatureView view) {
        if (view.online().history() == null) {
            throw RefusedRequestException.invalid("as_of: view " + view.qualifiedName()
                    + " keeps the newest rows only; set online.history in its definition");
        }
    }

    /** Compares with the watermark that came with the rows, because a separate query would cost another call to a remote store. */
    public static void requireReached(long asOfMs, OptionalLong watermarkMs) {
        if (watermarkMs.isPresent() && asOfMs > watermarkMs.getAsLong()) {
            throw RefusedRequestException.invalid(
                    "as_of: " + Instant.ofEpochMilli(asOfMs) + " lies beyond the view's watermark "
                            + Instant.ofEpochMilli(watermarkMs.getAsLong()) + "; ask for that time or an earlier one");
        }
    }

    /** Converts a time; no row is further away than 64 bits of milliseconds. */
    private static long epochMs(Instant time) {
        try {
            return time.toEpochMilli();
        } catch (ArithmeticException e) {
            throw RefusedRequestException.invalid("as_of: must lie within 64 bits of milliseconds, was " + time);
        }
    }

    private static List<StoreKey> stored(List<KeyParser.Key> keys) {
        return keys.stream().map(KeyParser.Key::stored).toList();
    }
}
