package io.thalweg.runner;

import io.thalweg.history.Availability;
import io.thalweg.history.Backfill;
import io.thalweg.history.FeatureLog;
import io.thalweg.history.LogMismatchException;
import io.thalweg.history.LogProgress;
import io.thalweg.jobs.sink.LogTarget;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.OfflineSpec;
import io.thalweg.tables.ParquetMerger;
import io.thalweg.tables.RowTable;
import io.thalweg.tables.iceberg.CatalogAddress;
import io.thalweg.tables.iceberg.CatalogAwayException;
import io.thalweg.tables.iceberg.IcebergTableMismatchException;
import io.thalweg.tables.iceberg.TableAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The feature logs of views. */
public final class FeatureLogs {
    private FeatureLogs() {}

    private static List<FeatureView> logged(List<FeatureView> views) {
        return views.stream().filter(view -> view.offline() != null).toList();
    }

    private static OfflineSpec spec(FeatureView view) {
        OfflineSpec spec = view.offline();
        return spec == null ? OfflineSpec.standard(view.qualifiedName()) : spec;
    }

    private static TableAddress address(FeatureView view, DeploymentConfig deploymentConfig) {
        return Catalogs.address(spec(view).catalog(), spec(view).table(), deploymentConfig);
    }

    /**
     * Creates the missing tables of views with {@code offline}, before their job starts.
     *
     * @throws UserError if rows cannot be written to them
     */
    static void prepare(List<FeatureView> views, DeploymentConfig deploymentConfig) {
        prepare(views, deploymentConfig, deploymentConfig.deployment());
    }

    private static void prepare(
            List<FeatureView> views, DeploymentConfig deploymentConfig, @Nullable String deployment) {
        for (FeatureView view : logged(views)) {
            OfflineSpec spec = spec(view);
            TableAddress table = address(view, deploymentConfig);
            Catalogs.requireWritable(spec.catalog(), table);
            try {
                FeatureLog.create(view, spec.format(), table, deployment);
            } catch (LogMismatchException | IcebergTableMismatchException e) {
                throw UserError.failed("offline of view " + view.qualifiedName() + ": " + e.getMessage(), "")
                        .causedBy(e);
            } catch (CatalogAwayException e) {
                throw Catalogs.away(spec.catalog(), e);
            } catch (IOException e) {
                throw UserError.failed(FileReason.of(e), "").causedBy(e);
            }
        }
    }

    /**
     * Returns where a job writes the logs of views with {@code offline}, by the view's qualified name.
     *
     * @param writer identifies the job to the tables
     * @param run identifies what this run writes
     */
    static Map<String, LogTarget> targets(
            List<FeatureView> views, DeploymentConfig deploymentConfig, String writer, String run) {
        Map<String, LogTarget> targets = new LinkedHashMap<>();
        for (FeatureView view : logged(views)) {
            targets.put(
                    view.qualifiedName(),
                    new LogTarget(
                            Objects.requireNonNull(view.offline()), address(view, deploymentConfig), writer, run));
        }
        return targets;
    }

    /**
     * Logs that a load of a table with {@code offline} is complete.
     *
     * @param loadedMs when the load listed the table, epoch ms
     * @param readableMs when all of its rows were readable, epoch ms
     */
    static void loaded(FeatureView table, DeploymentConfig deploymentConfig, long loadedMs, long readableMs)
            throws IOException {
        try {
            LogProgress.append(address(table, deploymentConfig), loadedMs, readableMs);
        } catch (CatalogAwayException e) {
            throw Catalogs.away(spec(table).catalog(), e);
        }
    }

    /**
     * Opens the log of a view for reading: the one of its {@code offline}, or the one that {@code offline: true} would write.
     *
     * @throws UserError if there is none, or it cannot be read
     */
    public static FeatureLog open(FeatureView view, DeploymentConfig deploymentConfig) {
        try {
            return FeatureLog.open(view, address(view, deploymentConfig));
        } catch (LogMismatchException e) {
            throw UserError.failed(String.valueOf(e.getMessage()), "").causedBy(e);
        } catch (CatalogAwayException e) {
            throw Catalogs.away(spec(view).catalog(), e);
        } catch (IOException e) {
            throw UserError.failed(
                            "view %s has no feature log: %s".formatted(view.qualifiedName(), FileReason.of(e)),
                            view.isTable()
                                    ? "write offline: true into its definition and load it with thalweg materialize"
                                    : "write offline: true into its definition and run it")
                    .causedBy(e);
        }
    }

    /**
     * Returns logs in a folder, from which {@link #backfill} takes what the real ones lack.
     *
     * @param folder new and empty
     */
    static Map<String, LogTarget> scratch(List<FeatureView> views, Path folder, String run) throws IOException {
        Map<String, LogTarget> targets = new LinkedHashMap<>();
        for (FeatureView view : views) {
            OfflineSpec spec = OfflineSpec.standard(view.qualifiedName());
            TableAddress table = scratch(view, folder);
            FeatureLog.create(view, spec.format(), table, null);
            targets.put(view.qualifiedName(), new LogTarget(spec, table, run, run));
        }
        return targets;
    }

    private static TableAddress scratch(FeatureView view, Path folder) {
        return new TableAddress(
                new CatalogAddress.Folder(folder.toAbsolutePath().toString()),
                OfflineSpec.standard(view.qualifiedName()).table());
    }

    /**
     * Adds the window ends of logs in a folder to the logs of views, and compares those that both have; reports both on standard error.
     *
     * @throws UserError if a row differs
     */
    static void backfill(List<FeatureView> views, Path folder, DeploymentConfig deploymentConfig, Console console)
            throws IOException {
        prepare(views.stream().map(view -> view.withOffline(spec(view))).toList(), deploymentConfig, null);
        for (FeatureView view : views) {
            try (FeatureLog computed = FeatureLog.open(view, scratch(view, folder));
                    FeatureLog log = open(view, deploymentConfig)) {
                Backfill.Result result = Backfill.merge(computed, log);
                console.err()
                        .println(String.format(
                                Locale.ROOT,
                                "log of view %s: window_ends_added=%d rows_added=%d window_ends_equal=%d window_ends_partial=%d",
                                view.qualifiedName(),
                                result.added(),
                                result.rows(),
                                result.compared(),
                                result.skipped()));
            } catch (LogMismatchException e) {
                throw UserError.failed(String.valueOf(e.getMessage()), "").causedBy(e);
            }
        }
    }

    /** Merges small files of a log, removes what {@code offline.keep} no longer covers, and reports the files on standard error. */
    public static void compact(FeatureView view, DeploymentConfig deploymentConfig, Console console)
            throws IOException, InterruptedException {
        AtomicBoolean stopped = new AtomicBoolean();
        CountDownLatch over = new CountDownLatch(1);
        // It removes the files that it has begun.
        Interrupt interrupt = Interrupt.with(UserError.INTERRUPTED, () -> stopped.set(true), over);
        AtomicLong steps = new AtomicLong();
        try (ProgressLine progress = console.progress(false)) {
            FeatureLog.Size before = size(view, deploymentConfig);
            new LogTarget(spec(view), address(view, deploymentConfig), "compact", "compact").compact(view, () -> {
                if (stopped.get()) {
                    throw new CancellationException();
                }
                long merged = steps.incrementAndGet() * ParquetMerger.ROWS;
                progress.show(() -> "%s: %,d records merged".formatted(view.qualifiedName(), merged));
            });
            FeatureLog.Size after = size(view, deploymentConfig);
            console.err()
                    .println("log of view %s: files_before=%d files_after=%d rows=%d bytes=%d"
                            .formatted(
                                    view.qualifiedName(), before.files(), after.files(), after.rows(), after.bytes()));
        } catch (CancellationException e) {
            // The process ends.
        } finally {
            over.countDown();
            interrupt.disarm();
        }
    }

    private static FeatureLog.Size size(FeatureView view, DeploymentConfig deploymentConfig) throws IOException {
        try (FeatureLog log = open(view, deploymentConfig)) {
            return log.size();
        }
    }

    /**
     * Writes rows of a log as a flat table.
     *
     * @param fromMs the first window end, epoch ms
     * @param toMs the last window end, epoch ms
     * @param feast when rows were readable, for a table that Feast reads; null for other tables
     * @param out a {@code .parquet} or {@code .csv} file
     */
    public static void export(
            FeatureView view,
            DeploymentConfig deploymentConfig,
            long fromMs,
            long toMs,
            @Nullable ReadableFrom feast,
            Path out,
            Console console,
            boolean quiet)
            throws IOException, InterruptedException {
        RowTable.Form form = form(out);
        Closeables open = new Closeables();
        Interrupt interrupt = Interrupt.with(UserError.INTERRUPTED, open::close);
        try (open;
                ProgressLine progress = console.progress(quiet)) {
            FeatureLog log = open.add(open(view, deploymentConfig));
            FinishedFile file = open.add(FinishedFile.open("--out", out));
            RowTable table = feast == null
                    ? RowTable.open(form, view, file.out())
                    : RowTable.openForFeast(form, view, feast.of(log, fromMs)::reachedAtMs, file.out());
            long[] rows = {0};
            log.scan(fromMs, toMs, (block, progressMs) -> {
                table.add(block);
                rows[0] += block.rows();
                progress.show(() -> "%,d rows".formatted(rows[0]));
            });
            table.finish();
            file.finish();
            console.err().println("rows=" + rows[0]);
        } catch (LogMismatchException e) {
            throw UserError.failed(String.valueOf(e.getMessage()), "").causedBy(e);
        } finally {
            interrupt.disarm();
        }
    }

    /**
     * When rows of a log were readable.
     *
     * @param delayMs after their window end; empty = as the log recorded it
     */
    public record ReadableFrom(OptionalLong delayMs) {
        private Availability of(FeatureLog log, long fromMs) throws IOException {
            return delayMs.isPresent() ? log.after(delayMs.getAsLong()) : log.logged(Math.max(0, fromMs));
        }
    }

    /** Returns the form of a table that {@code --out} names. */
    static RowTable.Form form(Path out) {
        return RowTable.Form.ofName(out.toString())
                .orElseThrow(() -> UserError.usage(
                        "--out must end with .parquet or .csv, was " + out, "such as --out rows.parquet"));
    }
}
