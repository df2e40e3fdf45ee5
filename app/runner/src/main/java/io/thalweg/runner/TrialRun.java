package io.thalweg.runner;

import io.thalweg.formats.lookup.LookupTables;
import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.ingest.account.IngestAccount.Count;
import io.thalweg.jobs.ingest.account.IngestJobAccount;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.jobs.load.LoadMetrics;
import io.thalweg.jobs.sink.TopicAccount;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.model.source.Source;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.store.OnlineStore;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A job of a trial that runs in this process. */
interface TrialRun extends AutoCloseable {
    /** The last rows of a view are emitted within this time of one another. */
    long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

    LiveJob job();

    /** The id of the job. */
    String id();

    /** Events that were read so far. */
    long events();

    /** Rows that were made or written so far. */
    long rows();

    /** Whether the job has processed its whole sample. */
    boolean isDone(TrialMeter meter);

    /** Ends the job. If it writes at its end, that time counts as work. */
    void end(TrialMeter meter) throws InterruptedException;

    /** Rows that can be read once the job has ended. */
    default long written() throws IOException {
        return rows();
    }

    @Override
    void close();

    /**
     * Starts a job.
     *
     * @param records in the sample
     * @param rows rows that an earlier run over the sample wrote; 0 = there was none
     */
    static TrialRun start(
            TrialSpec spec, DeploymentConfig real, TrialTarget place, TrialSettings settings, long records, long rows) {
        DeploymentConfig deployment = place.deployment(real, settings, spec.kafka());
        if (spec instanceof TrialSpec.OfIngest ingest) {
            return OfIngest.start(ingest, deployment, place, settings);
        }
        return spec instanceof TrialSpec.OfView view
                ? OfView.start(view.view(), deployment, settings, records)
                : OfPublication.start(((TrialSpec.OfPublication) spec).view(), deployment, settings, rows);
    }

    /** An ingest. It ends with a savepoint, which commits its rows. */
    record OfIngest(String id, IngestPlan plan, DeploymentConfig deployment, LiveSource.Watch watch, LiveJob job)
            implements TrialRun {
        static OfIngest start(
                TrialSpec.OfIngest spec, DeploymentConfig deployment, TrialTarget place, TrialSettings settings) {
            Ingest.Sink sink = place.sink(spec.ingest().sink(), settings.checkpoints());
            IngestPlan plan = spec.plan(deployment, sink);
            TopicSource source =
                    new TopicSource((Ingest.Topic) plan.ingest().input().from(), deployment);
            JobPlan job = source.job(plan, place.folder().resolve("dead.jsonl"));
            job.prepare();
            String id = LiveJob.newId();
            LiveSource.Watch watch = source.watch(job, id, "none", true);
            return new OfIngest(id, plan, deployment, watch, LiveJob.start(id, job, settings.parallelism(), "none"));
        }

        @Override
        public long events() {
            return IngestJobAccount.of(id).total().get(Count.EVENTS);
        }

        @Override
        public long rows() {
            return IngestJobAccount.of(id).total().get(Count.ROWS);
        }

        @Override
        public boolean isDone(TrialMeter meter) {
            return watch.isDone();
        }

        @Override
        public void end(TrialMeter meter) throws InterruptedException {
            job.stopWithSavepoint();
            meter.end();
        }

        @Override
        public long written() throws IOException {
            return plan.ingest().sink() instanceof Ingest.TopicSink
                    ? TopicAccount.of(id).sinceStart().records()
                    : IngestTargets.written(
                                    plan,
                                    deployment,
                                    JobPlan.runName(plan.ingest().qualifiedName(), id))
                            .rows();
        }

        @Override
        public void close() {
            watch.close();
        }
    }

    /**
     * A view whose rows go to its topic and into a store. Early rows of open windows are left out, because they depend on the
     * time of day.
     */
    record OfView(String id, FeatureView view, long records, LookupTables tables, OnlineStore store, LiveJob job)
            implements TrialRun {
        /** A partition whose part of the sample was read must not hold the watermark back. */
        private static final DurationText IDLE = DurationText.parse("200ms");

        static OfView start(FeatureView real, DeploymentConfig deployment, TrialSettings settings, long records) {
            Source source = real.source();
            FeatureView view = real.withoutEarly()
                    .withSource(new Source(
                            source.topics(),
                            source.kafka(),
                            TrialSpec.EARLIEST,
                            source.encoding(),
                            source.eventTime(),
                            source.maxOutOfOrderness(),
                            IDLE,
                            source.maxFuture()));
            List<FeatureView> views = List.of(view);
            ConfiguredLookups lookups = ConfiguredLookups.of(deployment);
            JobPlan plan = JobPlan.run(
                    views,
                    deployment,
                    lookups.sources(views),
                    ConfiguredStore.name(deployment.store()),
                    ClockSpec.system());
            plan.prepare();
            String id = LiveJob.newId();
            LookupTables tables = lookups.open(id, views);
            OnlineStore store = ConfiguredStore.open(deployment.store(), views, Clock.systemUTC());
            return new OfView(
                    id, view, records, tables, store, LiveJob.start(id, plan, settings.parallelism(), "none"));
        }

        private JobMetrics.View metrics() {
            return JobMetrics.of(id).view(view.qualifiedName());
        }

        @Override
        public long events() {
            return metrics().events();
        }

        @Override
        public long rows() {
            return metrics().rows();
        }

        @Override
        public boolean isDone(TrialMeter meter) {
            return events() >= records && meter.quietNanos() >= QUIET_NANOS;
        }

        @Override
        public void end(TrialMeter meter) {
            job.cancel();
        }

        @Override
        public void close() {
            tables.close();
            store.close();
        }
    }

    /**
     * A publication. It ends automatically, but only with a checkpoint, so if the number of its rows is known, it is cancelled after
     * the last one.
     *
     * @param expected rows; 0 = not known
     */
    record OfPublication(
            String id, FeatureView view, long expected, OnlineStore store, LiveJob job, CompletableFuture<?> ended)
            implements TrialRun {
        static OfPublication start(
                FeatureView view, DeploymentConfig deployment, TrialSettings settings, long expected) {
            List<FeatureView> views = List.of(view);
            JobPlan plan = JobPlan.publish(views, deployment, true);
            plan.prepare();
            OnlineStore store = ConfiguredStore.open(deployment.store(), views, Clock.systemUTC());
            String id = LiveJob.newId();
            LiveJob job = LiveJob.start(id, plan, settings.parallelism(), "none");
            return new OfPublication(id, view, expected, store, job, job.ended());
        }

        @Override
        public long events() {
            return rows();
        }

        @Override
        public long rows() {
            return LoadMetrics.of(id).view(view.qualifiedName()).rows();
        }

        @Override
        public boolean isDone(TrialMeter meter) {
            return ended.isDone() || (expected > 0 && rows() >= expected);
        }

        @Override
        public void end(TrialMeter meter) {
            if (!ended.isDone()) {
                job.cancel();
            }
        }

        @Override
        public void close() {
            store.close();
        }
    }
}
