package io.thalweg.runner;

import io.thalweg.formats.lookup.LookupSources;
import io.thalweg.google.pubsub.PubSubAddress;
import io.thalweg.jobs.compute.ComputeJob;
import io.thalweg.jobs.deadletters.DeadLetters;
import io.thalweg.jobs.deadletters.KafkaDeadLetters;
import io.thalweg.jobs.ingest.IngestJob;
import io.thalweg.jobs.ingest.RecordInput;
import io.thalweg.jobs.ingest.file.IngestFile;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.jobs.kafka.TopicRead;
import io.thalweg.jobs.load.LoadJob;
import io.thalweg.jobs.load.MaterializeJob;
import io.thalweg.jobs.sink.LogTarget;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.model.table.Materialization;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.store.StoreAddress;
import io.thalweg.store.redis.RedisLookups;
import io.thalweg.tables.TableFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/** What a job does: computes views, publishes their rows, loads a table, ingests, or replays dead letters. */
sealed interface JobWork {
    /** What it computes or writes; a run resumes from a checkpoint of a run with a name in common. */
    List<String> names();

    /** The checkpoint interval. */
    DurationText every();

    /** Whether the job is bounded and ends automatically. */
    default boolean ends() {
        return false;
    }

    /** The views whose rows it computes or writes. */
    default List<FeatureView> views() {
        return List.of();
    }

    /** Classes whose jars, and the jars that these name, are sent to a cluster besides those of all jobs. */
    default List<Class<?>> needed() {
        return List.of();
    }

    /**
     * Checks what the job reads and writes before it starts, the source first, so that a failed start leaves nothing behind.
     * Returns what it created and what the user should know, for people.
     */
    List<String> prepare(KafkaTopics kafka);

    /** Adds the job to an environment. */
    void addTo(StreamExecutionEnvironment environment, Start start);

    /**
     * A start of a job.
     *
     * @param id by which the job and its process find each other
     * @param resumed whether it resumes from a checkpoint
     * @param sources the names of reads in the run that is resumed, by the view's qualified name
     * @param checkpoints the folder of the job's checkpoints
     */
    record Start(String id, boolean resumed, Map<String, String> sources, CheckpointFolder checkpoints) {}

    private static List<String> names(List<FeatureView> views) {
        return views.stream().map(FeatureView::qualifiedName).toList();
    }

    /**
     * Computes views from Kafka to Kafka and a store.
     *
     * @param lookups the views' lookup tables
     * @param store the name of a store that is open in this process; null = none
     */
    record Compute(
            List<FeatureView> views,
            DeploymentConfig deploymentConfig,
            LookupSources lookups,
            @Nullable String store,
            ClockSpec clock)
            implements JobWork {
        @Override
        public List<String> names() {
            return JobWork.names(views);
        }

        @Override
        public DurationText every() {
            return deploymentConfig.checkpoints().every();
        }

        @Override
        public List<Class<?>> needed() {
            return lookups instanceof RedisLookups ? List.of(RedisLookups.class) : List.of();
        }

        @Override
        public List<String> prepare(KafkaTopics kafka) {
            FeatureLogs.prepare(views, deploymentConfig);
            return kafka.prepare(views);
        }

        @Override
        public void addTo(StreamExecutionEnvironment environment, Start start) {
            new ComputeJob(
                            start.id(),
                            deploymentConfig.deployment(),
                            views,
                            new ComputeJob.Topics(
                                    KafkaClusters.of(deploymentConfig), KafkaClusters.ofConsumers(deploymentConfig)),
                            lookups,
                            store,
                            clock,
                            start.sources(),
                            FeatureLogs.targets(
                                    views,
                                    deploymentConfig,
                                    start.checkpoints().writerName(),
                                    JobPlan.runName(deploymentConfig.deployment(), start.id())))
                    .addTo(environment);
        }
    }

    /**
     * Publishes rows of views from Kafka into the store.
     *
     * @param toItsEnd whether to end after the last record that the topics contain now
     */
    record Publish(List<FeatureView> views, DeploymentConfig deploymentConfig, StoreAddress store, boolean toItsEnd)
            implements JobWork {
        @Override
        public List<String> names() {
            return JobWork.names(views);
        }

        @Override
        public DurationText every() {
            return deploymentConfig.checkpoints().every();
        }

        @Override
        public List<Class<?>> needed() {
            return List.of(store.getClass());
        }

        @Override
        public List<String> prepare(KafkaTopics kafka) {
            return kafka.prepareToPublish(views);
        }

        @Override
        public void addTo(StreamExecutionEnvironment environment, Start start) {
            new LoadJob(
                            start.id(),
                            deploymentConfig.deployment(),
                            views,
                            KafkaClusters.of(deploymentConfig),
                            store,
                            deploymentConfig.load(),
                            ClockSpec.system(),
                            toItsEnd)
                    .addTo(environment);
        }
    }

    /**
     * Loads a table into the store.
     *
     * @param rate rows per second; infinite = unlimited
     * @param deadLetters a file
     */
    record Load(
            Materialization spec,
            TableFiles files,
            DeploymentConfig deploymentConfig,
            StoreAddress store,
            long beganMs,
            double rate,
            Path deadLetters)
            implements JobWork {
        @Override
        public List<String> names() {
            return JobWork.names(views());
        }

        @Override
        public DurationText every() {
            return deploymentConfig.checkpoints().every();
        }

        @Override
        public boolean ends() {
            return true;
        }

        @Override
        public List<FeatureView> views() {
            return List.of(spec.view());
        }

        @Override
        public List<Class<?>> needed() {
            return List.of(store.getClass());
        }

        @Override
        public List<String> prepare(KafkaTopics kafka) {
            FeatureLogs.prepare(views(), deploymentConfig);
            return List.of();
        }

        @Override
        public void addTo(StreamExecutionEnvironment environment, Start start) {
            new MaterializeJob(
                            start.id(),
                            spec,
                            files.splits(),
                            beganMs,
                            rate,
                            store,
                            deploymentConfig.load(),
                            ClockSpec.system(),
                            deadLetters.toAbsolutePath().toString(),
                            log(start))
                    .addTo(environment);
        }

        /** A load that resumes goes on as the same load in the feature log. */
        private MaterializeJob.@Nullable Log log(Start start) {
            String view = spec.view().qualifiedName();
            LogTarget target = FeatureLogs.targets(
                            views(),
                            deploymentConfig,
                            deploymentConfig.deployment() + "-materialize-" + view,
                            JobPlan.runName(view, start.id()))
                    .get(view);
            return target == null
                    ? null
                    : new MaterializeJob.Log(
                            target,
                            Long.parseLong(start.checkpoints().outputName(start.resumed(), String.valueOf(beganMs))));
        }
    }

    /**
     * Ingests events, or replays dead letters of an ingest.
     *
     * @param deadLetters where dead letters go; null = the topic that the definition names, beside the topic that is read
     * @param name identifies the job in tables, which keep its last commit; does not depend on the input files
     */
    record Ingestion(
            IngestPlan plan,
            Input input,
            DeploymentConfig deploymentConfig,
            @Nullable DeadLetters deadLetters,
            String name)
            implements JobWork {
        private Ingest.Sink sink() {
            return plan.ingest().sink();
        }

        @Override
        public List<String> names() {
            return List.of(plan.ingest().qualifiedName());
        }

        @Override
        public DurationText every() {
            return sink().every();
        }

        @Override
        public boolean ends() {
            return input instanceof Files || input instanceof ReplayedFile;
        }

        @Override
        public List<Class<?>> needed() {
            if (ends()) {
                return List.of();
            }
            Set<Class<?>> needed = new LinkedHashSet<>(IngestTargets.needed(sink()));
            if (input instanceof Subscription) {
                needed.add(PubSubAddress.class);
            }
            return List.copyOf(needed);
        }

        @Override
        public List<String> prepare(KafkaTopics kafka) {
            if (input instanceof Topic topic) {
                kafka.requireToIngest(topic.topic());
                IngestTargets.require(plan, deploymentConfig);
                return kafka.prepareToIngest(
                        topic.topic(),
                        sink(),
                        deadLetters == null ? Set.of(plan.ingest().deadLetters().topic()) : Set.of());
            }
            List<String> notes = new ArrayList<>();
            if (input instanceof Subscription subscription) {
                notes.addAll(PubSubTargets.require(subscription.source(), deploymentConfig));
                IngestTargets.require(plan, deploymentConfig);
            }
            notes.addAll(kafka.prepareToWrite(sink()));
            return notes;
        }

        @Override
        public void addTo(StreamExecutionEnvironment environment, Start start) {
            String run = JobPlan.runName(plan.ingest().qualifiedName(), start.id());
            CheckpointFolder checkpoints = start.checkpoints();
            IngestTargets.Writer writer = new IngestTargets.Writer(
                    ends() ? checkpoints.outputName(start.resumed(), run) : run, checkpoints.writerName(), name);
            new IngestJob(
                            start.id(),
                            plan,
                            records(),
                            IngestTargets.output(sink(), deploymentConfig, writer),
                            deadLetters == null ? deadLetterTopic() : deadLetters)
                    .addTo(environment);
        }

        private DeadLetters deadLetterTopic() {
            String cluster = ((Topic) input).topic().kafka();
            return new KafkaDeadLetters(
                    plan.ingest().deadLetters().topic(), KafkaClusters.of(deploymentConfig, cluster));
        }

        private RecordInput records() {
            if (input instanceof Topic read) {
                Ingest.Topic topic = read.topic();
                return new RecordInput.OfTopic(
                        topic.kafka(),
                        TopicRead.of(
                                topic.topic(),
                                KafkaClusters.reader(deploymentConfig, topic.kafka()),
                                KafkaClusters.of(deploymentConfig, topic.kafka()),
                                "thalweg-" + deploymentConfig.deployment() + "-ingest-"
                                        + plan.ingest().qualifiedName(),
                                topic.firstMs(System.currentTimeMillis())),
                        topic.onLost() == Ingest.OnLost.SKIP);
            }
            if (input instanceof Subscription subscription) {
                Ingest.PubSub source = subscription.source();
                DurationText dedup = source.dedup();
                return new RecordInput.OfSubscription(
                        PubSubTargets.address(source, deploymentConfig),
                        source.streams(),
                        dedup == null ? null : dedup.duration());
            }
            return input instanceof ReplayedFile replayed
                    ? new RecordInput.OfDeadLetters(replayed.file())
                    : new RecordInput.OfFiles(((Files) input).files());
        }
    }

    /** What an ingest reads. */
    sealed interface Input {}

    /** A topic, until the job is stopped. */
    record Topic(Ingest.Topic topic) implements Input {}

    /** A subscription, until the job is stopped. */
    record Subscription(Ingest.PubSub source) implements Input {}

    /** Files, to their end. */
    record Files(List<IngestFile> files) implements Input {}

    /** A file of dead letters, to its end. */
    record ReplayedFile(IngestFile file) implements Input {}
}
