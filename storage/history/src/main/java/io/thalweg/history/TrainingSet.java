package io.thalweg.history;

import io.thalweg.model.problem.Suggestion;
import io.thalweg.model.row.ReadOutcome;
import io.thalweg.model.row.ReadStatus;
import io.thalweg.model.view.FeatureView;
import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.records.columns.ColumnWriter;
import io.thalweg.records.columns.LeafColumn;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.Struct;
import io.thalweg.tables.FlatRows;
import io.thalweg.tables.FlatTable;
import io.thalweg.tables.TableColumns;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Adds to each label what a server would have answered at its time.
 *
 * <p><b>Rows.</b> Those of the labels, in their order, with their columns; then for each view a column {@code VIEW__FEATURE} per
 * feature, {@code VIEW__status}, and the {@link Extra} columns that are asked for. A value is null unless the status is PRESENT or ZERO.
 *
 * <p><b>Memory.</b> Labels are answered in groups that fit in the given memory. A group reads the part of the log that its times span,
 * so labels that are sorted by time read each part once.
 *
 * <p><b>Errors.</b> {@link SpineException}, {@link LogMismatchException}, and IOException where files cannot be read or written.
 *
 * <p><b>Threads.</b> {@link #write} uses a number of its own; {@link #stop} may be called from another.
 */
public final class TrainingSet {
    /** The status of labels from before the log begins. */
    public static final String NOT_LOGGED = "NOT_LOGGED";

    private static final int LABEL_BYTES = 200;
    private static final int STRING_BYTES = 150;
    /** Of some 128 numbers. */
    private static final int LIST_BYTES = 5_000;

    private static final int LEAST_LABELS = 4_096;

    private final List<Part> parts;
    private final Settings settings;
    private final ExecutorService threads;
    private volatile boolean stopped;

    /**
     * The features of one view.
     *
     * @param features names, in the order of the columns
     */
    public record Part(FeatureLog log, List<String> features) {
        public Part {
            features = List.copyOf(features);
            for (String feature : features) {
                if (!log.view().featureNames().contains(feature)) {
                    throw new SpineException("'%s' is not a feature of view %s; %s"
                            .formatted(
                                    feature,
                                    log.view().qualifiedName(),
                                    Suggestion.hint(feature, log.view().featureNames())));
                }
            }
        }
    }

    /** Columns besides values and status. */
    public enum Extra {
        /** The window end that the answer belongs to. */
        WINDOW_END,
        /** The time of the label minus the window end, ms. */
        AGE_MS
    }

    /**
     * How labels are read and answered.
     *
     * @param delayMs after which rows count as readable, for logs that were computed later; empty = when they were readable
     * @param extras in the order of the columns
     * @param memoryBytes for labels and their answers, roughly
     */
    public record Settings(
            LabelTime time,
            LabelKeys.Columns keys,
            OptionalLong delayMs,
            List<Extra> extras,
            long memoryBytes,
            int threads) {}

    /** Observes the work. */
    public interface Progress {
        /** Called after each group of labels, and with each part of the log that was read. */
        void update(long labels, long bytesRead);
    }

    /**
     * The result.
     *
     * @param labels that were written
     * @param statuses the number of labels by view and status
     * @param complete whether these are all labels; false after {@link #stop}
     */
    public record Result(long labels, long logBytes, Map<String, Map<String, Long>> statuses, boolean complete) {}

    /** Opens the table of a training set; if an earlier run was stopped, with what it has written. */
    public interface Output {
        FlatTable open(Struct columns) throws IOException;
    }

    public TrainingSet(List<Part> parts, Settings settings) {
        this.parts = List.copyOf(parts);
        this.settings = settings;
        threads = Executors.newFixedThreadPool(settings.threads(), run -> {
            Thread thread = new Thread(run, "training-set");
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * Makes {@link #write} return soon, with the labels that are answered. Its own thread is not interrupted, which would close the files
     * that it writes.
     */
    public void stop() {
        stopped = true;
        threads.shutdownNow().forEach(task -> ((Future<?>) task).cancel(true));
    }

    /**
     * Reads labels from a file or folder, as {@link TableColumns#open} does, and writes them with their answers. Called once.
     *
     * @param begun what an earlier run has written for the same labels and settings; null = nothing
     */
    public Result write(Path spine, Output out, @Nullable Result begun, Progress progress)
            throws IOException, InterruptedException {
        try (TableColumns labels = TableColumns.open(spine)) {
            return new Run(labels, out, begun, progress).write();
        } finally {
            threads.shutdownNow();
        }
    }

    /** Ends a run that was stopped. */
    private static final class StoppedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        StoppedException() {
            super("stopped", null, false, false);
        }
    }

    private final class Run {
        private final TableColumns spine;
        private final Progress progress;
        private final int timeColumn;
        private final List<LabelKeys> keys = new ArrayList<>();
        private final List<Struct> answerColumns = new ArrayList<>();
        private final FlatTable out;
        private final Map<String, Map<String, Long>> statuses = new TreeMap<>();
        private final int groupSize;
        private long labels;
        private volatile long bytesRead;

        Run(TableColumns spine, Output out, @Nullable Result begun, Progress progress) throws IOException {
            this.spine = spine;
            this.progress = progress;
            timeColumn = settings.time().indexIn(spine.schema());
            List<Field> fields = new ArrayList<>(spine.schema().fields());
            long widest = 0;
            for (Part part : parts) {
                FeatureView view = part.log().view();
                keys.add(LabelKeys.of(view, spine.schema(), settings.keys()));
                Struct columns = columns(part);
                answerColumns.add(columns);
                fields.addAll(columns.fields());
                widest = Math.max(widest, columns.fields().size());
            }
            requireDistinct(fields);
            this.out = out.open(new Struct(fields));
            if (begun != null) {
                labels = begun.labels();
                bytesRead = begun.logBytes();
                begun.statuses().forEach((view, counts) -> statuses.put(view, new TreeMap<>(counts)));
            }
            // Values of one view with their presence, and twice the columns of the labels: in memory, and while they
            // are written.
            long bytesPerLabel = LABEL_BYTES + 18L * fields.size() + 9L * widest + textBytes();
            groupSize = (int) Math.max(LEAST_LABELS, Math.min(Labels.MOST, settings.memoryBytes() / bytesPerLabel));
        }

        /** Returns an estimate of the bytes of text features: once in the join, once as a column. */
        private long textBytes() {
            long sum = 0;
            for (Part part : parts) {
                List<String> names = part.log().view().featureNames();
                List<String> types = part.log().view().featureTypes();
                for (String feature : part.features()) {
                    String type = types.get(names.indexOf(feature));
                    sum += type.equals("double_list") ? LIST_BYTES : type.equals("string") ? STRING_BYTES : 0;
                }
            }
            return sum;
        }

        private void requireDistinct(List<Field> fields) {
            Set<String> names = new HashSet<>();
            for (Field field : fields) {
                if (!names.add(field.name())) {
                    throw new SpineException(
                            "the training set would have two columns '%s'; rename the one of the labels"
                                    .formatted(field.name()));
                }
            }
        }

        private Struct columns(Part part) {
            String prefix = part.log().view().qualifiedName() + "__";
            List<Field> fields = new ArrayList<>();
            List<String> names = part.log().view().featureNames();
            for (String feature : part.features()) {
                String type = part.log().view().featureTypes().get(names.indexOf(feature));
                fields.add(Field.optional(prefix + feature, FlatRows.featureType(type)));
            }
            fields.add(Field.required(prefix + "status", FieldType.TEXT));
            for (Extra extra : settings.extras()) {
                fields.add(
                        extra == Extra.WINDOW_END
                                ? Field.optional(prefix + "window_end", FieldType.TIMESTAMP)
                                : Field.optional(prefix + "age_ms", FieldType.INT64));
            }
            return new Struct(fields);
        }

        Result write() throws IOException, InterruptedException {
            boolean complete = true;
            try {
                skip(labels);
                writeRest();
            } catch (StoppedException e) {
                complete = false;
            }
            out.finish();
            return new Result(labels, bytesRead, statuses, complete);
        }

        /** Skips labels that are written, which end with a batch: the same file has the same batches. */
        private void skip(long written) throws IOException {
            for (long left = written; left > 0; ) {
                ColumnBatch batch = spine.next();
                left -= batch == null ? Long.MAX_VALUE : batch.rows();
                if (left < 0) {
                    throw new SpineException("the labels have changed since the run that was interrupted");
                }
            }
        }

        private void writeRest() throws IOException, InterruptedException {
            List<ColumnBatch> group = new ArrayList<>();
            int size = 0;
            for (ColumnBatch batch = spine.next(); batch != null; batch = spine.next()) {
                if (size + batch.rows() > groupSize) {
                    answer(group, size);
                    group.clear();
                    size = 0;
                }
                group.add(batch);
                size += batch.rows();
            }
            answer(group, size);
        }

        private void answer(List<ColumnBatch> group, int size) throws IOException, InterruptedException {
            if (size == 0) {
                return;
            }
            List<long[]> times = new ArrayList<>();
            long row = labels + 1;
            for (ColumnBatch batch : group) {
                times.add(settings.time().read(batch.leaves().get(timeColumn), batch.rows(), row));
                row += batch.rows();
            }
            // One view after the other, so that the values of one are in memory beside the finished columns of those
            // before.
            List<List<LeafColumn>> leaves = new ArrayList<>();
            group.forEach(batch -> leaves.add(new ArrayList<>(batch.leaves())));
            List<Map<String, Long>> counts = new ArrayList<>();
            for (int part = 0; part < parts.size(); part++) {
                counts.add(answerUnlessStopped(part, group, times, size, leaves));
            }
            for (int i = 0; i < group.size(); i++) {
                out.add(new ColumnBatch(group.get(i).rows(), leaves.get(i)));
            }
            for (int part = 0; part < parts.size(); part++) {
                Map<String, Long> sum =
                        statuses.computeIfAbsent(parts.get(part).log().view().qualifiedName(), view -> new TreeMap<>());
                counts.get(part).forEach((status, count) -> sum.merge(status, count, Long::sum));
            }
            labels += size;
            progress.update(labels, bytesRead);
        }

        /** A stop makes reads of the log fail in many ways; failures to write are none of them. */
        private Map<String, Long> answerUnlessStopped(
                int part, List<ColumnBatch> group, List<long[]> times, int size, List<List<LeafColumn>> into)
                throws IOException, InterruptedException {
            try {
                if (!stopped) {
                    return answer(part, group, times, size, into);
                }
            } catch (IOException | RuntimeException e) {
                if (!stopped) {
                    throw e;
                }
            }
            throw new StoppedException();
        }

        /** Adds the columns of one view; returns the number of labels by status. */
        private Map<String, Long> answer(
                int part, List<ColumnBatch> group, List<long[]> times, int size, List<List<LeafColumn>> into)
                throws IOException, InterruptedException {
            FeatureLog log = parts.get(part).log();
            List<String> names = log.view().featureNames();
            int[] features =
                    parts.get(part).features().stream().mapToInt(names::indexOf).toArray();
            Labels asked = new Labels(log.view(), size);
            long row = labels + 1;
            for (int i = 0; i < group.size(); i++) {
                keys.get(part).read(group.get(i), times.get(i), row, asked);
                row += group.get(i).rows();
            }
            Availability available = settings.delayMs().isPresent()
                    ? log.after(settings.delayMs().getAsLong())
                    : log.logged(asked.firstMs());
            AsOfJoin join = new AsOfJoin(asked, features, available);
            join.read(log, threads, this::read);
            AsOfJoin.Answers answers = join.answers();
            Map<String, Long> counts = new TreeMap<>();
            int label = 0;
            for (int i = 0; i < group.size(); i++) {
                ColumnWriter columns = new ColumnWriter(answerColumns.get(part));
                for (int end = label + group.get(i).rows(); label < end; label++) {
                    put(answers, label, asked.timeMs(label), features.length, columns, counts);
                }
                into.get(i).addAll(columns.take().leaves());
            }
            return counts;
        }

        private synchronized void read(long bytes) {
            bytesRead += bytes;
            progress.update(labels, bytesRead);
        }

        private void put(
                AsOfJoin.Answers answers,
                int label,
                long timeMs,
                int features,
                ColumnWriter columns,
                Map<String, Long> counts) {
            boolean logged = answers.isLogged(label);
            ReadOutcome outcome = answers.outcome(label);
            ReadStatus status = outcome.status();
            columns.begin();
            answers.write(label, logged ? status : ReadStatus.NOT_FOUND, columns);
            int column = features;
            String text = logged ? status.name() : NOT_LOGGED;
            counts.merge(text, 1L, Long::sum);
            byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
            columns.bytes(column++, bytes, 0, bytes.length);
            long endMs = outcome.windowEndMs();
            for (Extra extra : settings.extras()) {
                if (endMs == ReadOutcome.NONE) {
                    columns.absent(column++);
                } else {
                    columns.int64(
                            column++, extra == Extra.WINDOW_END ? Math.multiplyExact(endMs, 1_000) : timeMs - endMs);
                }
            }
            columns.end();
        }
    }
}
