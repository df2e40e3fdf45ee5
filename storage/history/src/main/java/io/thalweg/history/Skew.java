package io.thalweg.history;

import io.thalweg.history.SkewReport.Cause;
import io.thalweg.model.row.ReadOutcome;
import io.thalweg.model.row.ReadStatus;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.ViewFingerprint;
import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.Struct;
import io.thalweg.tables.TableColumns;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Compares the serving log of a view with its feature log.
 *
 * <p><b>Mechanism.</b> Two joins with the log answer each read. The first says what was readable a grace before the read: an older answer
 * is stale. The second finds the row of the window end that the server answered with: its values must be the same, bit for bit.
 *
 * <p><b>Memory.</b> Answers are compared in groups that fit in the given memory; their times are nearly in order, so the log is read
 * little more than once for each join.
 *
 * <p><b>Errors.</b> {@link LogMismatchException}, and IOException where files cannot be read. <b>Threads.</b> A number of its own. An
 * interrupt stops it.
 */
public final class Skew {
    private static final long BASELINE_MS = Duration.ofDays(7).toMillis();
    private static final int EXAMPLES = 3;
    private static final int ANSWER_BYTES = 400;
    private static final int LEAST_ANSWERS = 4_096;

    private final FeatureLog log;
    private final FeatureView view;
    private final Settings settings;
    private final ServedLayout layout;
    private final List<String> names;
    private final List<String> types;
    private final String fingerprint;

    /**
     * What is compared.
     *
     * @param served the folder of the serving log
     * @param hash how keys were hashed; null = they were not
     * @param fromMs of reads, inclusive; {@link #ALWAYS} = since the beginning
     * @param toMs of reads, exclusive
     * @param graceMs how long after a row became readable an answer may still lack it
     * @param training a training set whose values are the baseline; null = the answers of the week before {@code fromMs}
     */
    public record Settings(
            Path served,
            @Nullable KeyHash hash,
            long fromMs,
            long toMs,
            long graceMs,
            @Nullable Path training,
            long memoryBytes,
            int threads) {
        /** Before all reads. */
        public static final long ALWAYS = 0;
        /** After all reads: the end of the year 9999. */
        public static final long FOREVER = 253_402_300_799_999L;
    }

    /** Observes the work. */
    public interface Progress {
        void update(long answers);
    }

    public Skew(FeatureLog log, Settings settings) {
        this.log = log;
        this.settings = settings;
        view = log.view();
        layout = new ServedLayout(view);
        names = view.featureNames();
        types = view.featureTypes();
        fingerprint = ViewFingerprint.ofServed(view);
    }

    /** Compares; a report without reads if the serving log has none of that time. */
    public SkewReport compare(Progress progress) throws IOException, InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(settings.threads(), run -> {
            Thread thread = new Thread(run, "skew");
            thread.setDaemon(true);
            return thread;
        });
        try {
            return new Run(threads, progress).compare();
        } finally {
            threads.shutdownNow();
        }
    }

    /** An answer of the serving log. {@code asked} is null for all features. */
    private record Served(
            long readAtMs,
            String key,
            ReadStatus status,
            long endMs,
            boolean sameDefinition,
            @Nullable Set<String> asked,
            boolean[] present,
            long[] bits) {}

    private final class Run {
        private final ExecutorService threads;
        private final Progress progress;
        private final long lastEndMs;
        private final int groupSize;
        private final Map<Cause, Long> reads = new EnumMap<>(Cause.class);
        private final List<Map<Cause, Long>> causes = new ArrayList<>();
        private final List<ValueSample> values = new ArrayList<>();
        private final List<SkewReport.Example> examples = new ArrayList<>();
        private final Map<Cause, Integer> examplesOf = new EnumMap<>(Cause.class);
        private long firstMs = Long.MAX_VALUE;
        private long lastMs = Long.MIN_VALUE;
        private long compared;

        Run(ExecutorService threads, Progress progress) throws IOException {
            this.threads = threads;
            this.progress = progress;
            var ends = log.ends();
            lastEndMs = ends.isEmpty() ? Long.MIN_VALUE : ends.lastKey();
            long bytes = ANSWER_BYTES + 20L * names.size();
            groupSize = (int) Math.max(LEAST_ANSWERS, Math.min(Labels.MOST, settings.memoryBytes() / bytes));
            for (int i = 0; i < names.size(); i++) {
                causes.add(new EnumMap<>(Cause.class));
                values.add(new ValueSample());
            }
        }

        SkewReport compare() throws IOException, InterruptedException {
            Group group = new Group();
            for (Path file : ServedFiles.list(settings.served(), view, settings.fromMs(), settings.toMs())) {
                try (TableColumns columns = TableColumns.open(file)) {
                    requireServed(file, columns.schema());
                    for (ColumnBatch batch = columns.next(); batch != null; batch = columns.next()) {
                        if (group.size() + batch.rows() > groupSize) {
                            compare(group);
                            group = new Group();
                        }
                        group.add(columns.schema(), batch);
                    }
                }
            }
            compare(group);
            List<ValueSample> baseline = baseline();
            List<SkewReport.Feature> features = new ArrayList<>();
            for (int i = 0; i < names.size(); i++) {
                ValueSample base = baseline.get(i).values() == 0 ? null : baseline.get(i);
                ValueSample served = values.get(i);
                Drift drift = base == null || served.values() == 0 ? null : Drift.of(base, served);
                features.add(new SkewReport.Feature(names.get(i), causes.get(i), served, base, drift));
            }
            boolean any = !reads.isEmpty();
            return new SkewReport(view.qualifiedName(), any ? firstMs : 0, any ? lastMs : 0, reads, features, examples);
        }

        private void compare(Group group) throws IOException, InterruptedException {
            if (group.size() == 0) {
                return;
            }
            AsOfJoin before = join(
                    group.labels(each -> each.readAtMs() - settings.graceMs()),
                    new int[0],
                    log.logged(group.firstMs() - settings.graceMs()));
            AsOfJoin same = join(
                    group.labels(each -> each.endMs() == ReadOutcome.NONE ? each.readAtMs() : each.endMs()),
                    IntStream.range(0, names.size()).toArray(),
                    log.after(0));
            AsOfJoin.Answers readable = before.answers();
            AsOfJoin.Answers rows = same.answers();
            for (int i = 0; i < group.size(); i++) {
                Served each = group.answers.get(i);
                if (each.readAtMs() >= settings.fromMs() && each.readAtMs() < settings.toMs()) {
                    count(each, i, readable, rows);
                }
            }
            compared += group.size();
            progress.update(compared);
        }

        private AsOfJoin join(Labels labels, int[] features, Availability available)
                throws IOException, InterruptedException {
            AsOfJoin join = new AsOfJoin(labels, features, available);
            join.read(log, threads, bytes -> {});
            return join;
        }

        private void count(Served answer, int label, AsOfJoin.Answers readable, AsOfJoin.Answers rows) {
            firstMs = Math.min(firstMs, answer.readAtMs());
            lastMs = Math.max(lastMs, answer.readAtMs());
            Cause cause = cause(answer, label, readable, rows);
            ReadOutcome row = rows.outcome(label);
            Cause worst = cause;
            List<String> differing = new ArrayList<>();
            for (int f = 0; f < names.size(); f++) {
                if (answer.asked() != null && !answer.asked().contains(names.get(f))) {
                    continue;
                }
                Cause ofFeature = cause;
                if (cause == Cause.EQUAL && hasValues(answer) && !isSame(answer, f, label, row.status(), rows)) {
                    ofFeature = Cause.DIFFERENT;
                    worst = Cause.DIFFERENT;
                    differing.add(names.get(f));
                }
                causes.get(f).merge(ofFeature, 1L, Long::sum);
                sample(answer, f);
            }
            reads.merge(worst, 1L, Long::sum);
            if (worst != Cause.EQUAL && examplesOf.merge(worst, 1, Integer::sum) <= EXAMPLES) {
                examples.add(new SkewReport.Example(
                        worst,
                        answer.key(),
                        answer.readAtMs(),
                        "answered %s%s; %d ms before, %s"
                                .formatted(
                                        text(answer.status(), answer.endMs()),
                                        differing.isEmpty() ? "" : ", of which the log has other " + differing,
                                        settings.graceMs(),
                                        readable.isLogged(label)
                                                ? "the log had "
                                                        + text(
                                                                readable.outcome(label)
                                                                        .status(),
                                                                newest(label, readable))
                                                : "the log had not begun")));
            }
        }

        private String text(ReadStatus status, long endMs) {
            return endMs == ReadOutcome.NONE ? status.name() : status + " of " + Instant.ofEpochMilli(endMs);
        }

        private boolean hasValues(Served answer) {
            return answer.status() == ReadStatus.PRESENT || answer.status() == ReadStatus.ZERO;
        }

        /** Returns the newest window end that an answer must not be older than. */
        private long newest(int label, AsOfJoin.Answers readable) {
            return view.isKeyed() ? readable.outcome(label).windowEndMs() : readable.watermarkMs(label);
        }

        private Cause cause(Served answer, int label, AsOfJoin.Answers readable, AsOfJoin.Answers rows) {
            if (!answer.sameDefinition()) {
                return Cause.OTHER_DEFINITION;
            }
            if (answer.status() == ReadStatus.OUTSIDE_MAX_AGE) {
                return Cause.BEHIND;
            }
            if (!readable.isLogged(label) || answer.endMs() > lastEndMs) {
                return Cause.NOT_LOGGED;
            }
            boolean rowThen = readable.outcome(label).status() == ReadStatus.PRESENT;
            if (answer.status() == ReadStatus.UNREADABLE || answer.status() == ReadStatus.NOT_FOUND) {
                boolean missing = rowThen || answer.status() == ReadStatus.UNREADABLE;
                return missing ? Cause.MISSING_ONLINE : Cause.EQUAL;
            }
            ReadOutcome row = rows.outcome(label);
            boolean rowOfEnd =
                    rows.isLogged(label) && row.status() == ReadStatus.PRESENT && row.windowEndMs() == answer.endMs();
            if (answer.status() == ReadStatus.ZERO && rowOfEnd) {
                return Cause.MISSING_ONLINE;
            }
            if (newest(label, readable) > answer.endMs()) {
                return Cause.STALE;
            }
            return answer.status() == ReadStatus.PRESENT && !rowOfEnd ? Cause.MISSING_LOG : Cause.EQUAL;
        }

        private boolean isSame(Served answer, int feature, int label, ReadStatus status, AsOfJoin.Answers rows) {
            if (answer.present()[feature] != rows.hasValue(label, status, feature)) {
                return false;
            }
            return !answer.present()[feature] || answer.bits()[feature] == rows.value(label, status, feature);
        }

        private void sample(Served answer, int feature) {
            if (!hasValues(answer) || !answer.present()[feature]) {
                values.get(feature).addNull();
            } else if (types.get(feature).equals("double")) {
                values.get(feature).add(Double.longBitsToDouble(answer.bits()[feature]));
            } else if (types.get(feature).equals("int64")) {
                values.get(feature).add((double) answer.bits()[feature]);
            } else {
                values.get(feature).addText();
            }
        }

        /** Returns the distribution of each feature in the baseline; empty ones if there is none. */
        private List<ValueSample> baseline() throws IOException {
            List<ValueSample> samples = new ArrayList<>();
            names.forEach(name -> samples.add(new ValueSample()));
            Path training = settings.training();
            if (training != null) {
                addValues(training, samples, Long.MIN_VALUE, Long.MAX_VALUE);
            } else if (settings.fromMs() != Settings.ALWAYS) {
                long fromMs = settings.fromMs() - BASELINE_MS;
                for (Path file : ServedFiles.list(settings.served(), view, fromMs, settings.fromMs())) {
                    addValues(file, samples, fromMs, settings.fromMs());
                }
            }
            return samples;
        }

        /** Adds the values of a file; of a serving log only those of reads in a range, the end exclusive. */
        private void addValues(Path file, List<ValueSample> into, long fromMs, long toMs) throws IOException {
            try (TableColumns columns = TableColumns.open(file)) {
                int time = fromMs == Long.MIN_VALUE ? -1 : columns.schema().indexOf(ServedLayout.READ_AT);
                int status = columns.schema().indexOf(layout.status());
                if (status < 0) {
                    throw new LogMismatchException(
                            "%s has no column %s, so it is not a training set with features of view %s"
                                    .formatted(file, layout.status(), view.qualifiedName()));
                }
                for (ColumnBatch batch = columns.next(); batch != null; batch = columns.next()) {
                    boolean[] wanted = new boolean[batch.rows()];
                    Arrays.fill(wanted, true);
                    if (time >= 0) {
                        LeafCursor times = new LeafCursor(batch.leaves().get(time));
                        for (int row = 0; row < wanted.length; row++) {
                            times.next();
                            long ms = times.number() / 1_000;
                            wanted[row] = ms >= fromMs && ms < toMs;
                        }
                    }
                    for (int f = 0; f < names.size(); f++) {
                        int column = columns.schema().indexOf(layout.feature(names.get(f)));
                        if (column >= 0) {
                            addValues(batch, column, wanted, into.get(f));
                        }
                    }
                }
            }
        }

        private void addValues(ColumnBatch batch, int column, boolean[] wanted, ValueSample into) {
            LeafCursor cells = new LeafCursor(batch.leaves().get(column));
            boolean isText = batch.leaves().get(column).type() instanceof FieldType.Text;
            boolean isReal = batch.leaves().get(column).type() instanceof FieldType.Real;
            for (boolean each : wanted) {
                boolean present = cells.next();
                if (each && present && isText) {
                    into.addText();
                } else if (each && present) {
                    into.add(isReal ? Double.longBitsToDouble(cells.number()) : cells.number());
                } else if (each) {
                    into.addNull();
                }
            }
        }
    }

    private void requireServed(Path file, Struct schema) {
        if (schema.indexOf(layout.asked()) < 0) {
            throw new LogMismatchException("%s is not a file of the serving log of view %s: it has no column %s"
                    .formatted(file, view.qualifiedName(), layout.asked()));
        }
        boolean hashed = schema.indexOf(ServedLayout.KEY_HASH) >= 0;
        if (hashed != (settings.hash() != null)) {
            throw new LogMismatchException(
                    hashed
                            ? file
                                    + " has hashes of keys; server.serving_log.hash_secret in thalweg.yaml must be the secret that they were made with"
                            : file
                                    + " has keys, not their hashes; remove server.serving_log.hash_secret, or begin another folder");
        }
    }

    /** Answers that are compared at once. */
    private final class Group {
        private final List<Served> answers = new ArrayList<>();
        private final List<Batch> batches = new ArrayList<>();

        /** Adds labels with the keys of a batch. */
        private interface Keys {
            void addTo(Labels labels, long[] timesMs);
        }

        private record Batch(int rows, Keys keys) {}

        int size() {
            return answers.size();
        }

        long firstMs() {
            return answers.stream().mapToLong(Served::readAtMs).min().orElse(0);
        }

        /** Returns labels with the keys of the answers. */
        Labels labels(ToLongFunction<Served> timeMs) {
            Labels labels = new Labels(view, size(), settings.hash());
            long[] timesMs = answers.stream().mapToLong(timeMs).toArray();
            for (Batch each : batches) {
                int from = labels.size();
                each.keys().addTo(labels, Arrays.copyOfRange(timesMs, from, from + each.rows()));
            }
            return labels;
        }

        void add(Struct schema, ColumnBatch batch) {
            List<LeafCursor> cursors =
                    batch.leaves().stream().map(LeafCursor::new).toList();
            int[] columns = names.stream()
                    .mapToInt(name -> schema.indexOf(layout.feature(name)))
                    .toArray();
            boolean[] present = new boolean[cursors.size()];
            String[] hashes = new String[batch.rows()];
            int[] shards = new int[batch.rows()];
            for (int row = 0; row < batch.rows(); row++) {
                for (int c = 0; c < present.length; c++) {
                    present[c] = cursors.get(c).next();
                }
                if (settings.hash() != null) {
                    hashes[row] =
                            cursors.get(schema.indexOf(ServedLayout.KEY_HASH)).text();
                    shards[row] = (int)
                            cursors.get(schema.indexOf(ServedLayout.SHARD)).number();
                }
                answers.add(answer(schema, cursors, present, columns, hashes[row]));
            }
            if (settings.hash() != null) {
                batches.add(new Batch(batch.rows(), (labels, timesMs) -> {
                    for (int row = 0; row < hashes.length; row++) {
                        labels.addHashed(timesMs[row], hashes[row], shards[row]);
                    }
                }));
            } else {
                LabelKeys entities = LabelKeys.of(view, schema, new LabelKeys.Columns(Map.of(), null));
                batches.add(new Batch(
                        batch.rows(), (labels, timesMs) -> entities.read(batch, timesMs, labels.size() + 1L, labels)));
            }
        }

        private Served answer(
                Struct schema, List<LeafCursor> cursors, boolean[] present, int[] columns, @Nullable String hash) {
            boolean[] has = new boolean[columns.length];
            long[] bits = new long[columns.length];
            for (int f = 0; f < columns.length; f++) {
                // A definition with other features had other columns.
                has[f] = columns[f] >= 0 && present[columns[f]];
                bits[f] = has[f] ? bits(schema.fields().get(columns[f]).type(), cursors.get(columns[f])) : 0;
            }
            String asked = cursors.get(schema.indexOf(layout.asked())).text();
            int end = schema.indexOf(layout.windowEnd());
            return new Served(
                    cursors.get(schema.indexOf(ServedLayout.READ_AT)).number() / 1_000,
                    hash == null ? key(schema, cursors) : hash,
                    ReadStatus.valueOf(
                            cursors.get(schema.indexOf(layout.status())).text()),
                    present[end] ? cursors.get(end).number() / 1_000 : ReadOutcome.NONE,
                    cursors.get(schema.indexOf(layout.definition())).text().equals(fingerprint),
                    asked.equals(ServedLayout.ALL) ? null : new HashSet<>(Arrays.asList(asked.split(","))),
                    has,
                    bits);
        }

        /** Returns the bits of a number, or a word that stands for a text. */
        private static long bits(FieldType type, LeafCursor value) {
            return type instanceof FieldType.Text ? AsOfJoin.word(value.text()) : value.number();
        }

        private String key(Struct schema, List<LeafCursor> cursors) {
            StringBuilder key = new StringBuilder();
            view.entities().forEach(entity -> {
                int column = schema.indexOf(entity.name());
                FieldType type = schema.fields().get(column).type();
                key.append(key.length() == 0 ? "" : " ")
                        .append(entity.name())
                        .append('=')
                        .append(
                                type instanceof FieldType.Text
                                        ? cursors.get(column).text()
                                        : String.valueOf(cursors.get(column).number()));
            });
            return key.toString();
        }
    }
}
