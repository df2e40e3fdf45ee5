package io.thalweg.runner;

import io.thalweg.formats.lookup.LookupSources;
import io.thalweg.google.pubsub.PubSubAddress;
import io.thalweg.jobs.compute.ComputeJob;
import io.thalweg.jobs.deadletters.DeadLetters;
import io.thalweg.jobs.deadletters.FileDeadLetters;
import io.thalweg.jobs.deadletters.KafkaDeadLetters;
import io.thalweg.jobs.ingest.IngestJob;
import io.thalweg.jobs.ingest.RecordInput;
import io.thalweg.jobs.ingest.file.IngestFile;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.jobs.kafka.TopicRead;
import io.thalweg.jobs.kafka.cluster.TopicEnds;
import io.thalweg.jobs.load.LoadJob;
import io.thalweg.jobs.load.MaterializeJob;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.model.table.Materialization;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.SinkSpec;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.store.StoreAddress;
import io.thalweg.store.redis.RedisLookups;
import io.thalweg.tables.TableFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * The plan of a job, to be started in this process or on a cluster.
 *
 * @param name the name of the job on its cluster
 * @param checkpoints the folder of its checkpoints
 * @param stopCommand the command that stops it on its cluster
 * @param ends whether the job is bounded and ends automatically
 * @param names what it computes or writes; a run resumes from a checkpoint of a run with a name in common
 * @param every the checkpoint interval
 * @param needed classes whose jars, and the jars that these name, are sent to a cluster besides those of all jobs
 */
public record JobPlan(
        String name,
        CheckpointFolder checkpoints,
        String stopCommand,
        boolean ends,
        List<String> names,
        DurationText every,
        List<FeatureView> views,
        DeploymentConfig deploymentConfig,
        List<Class<?>> needed,
        Targets targets,
        Operators operators) {

    /**
     * Checks what the job reads and writes before it starts, the source first, so that a failed start leaves nothing behind.
     * Returns what it created and what the user should know, for people.
     */
    interface Targets {
        List<String> prepare(KafkaTopics kafka);
    }

    /** Adds the job to an environment. */
    interface Operators {
        /**
         * Adds the job.
         *
         * @param sources the names of reads in the run that is resumed, by the view's qualified name
         */
        void addTo(StreamExecutionEnvironment environment, String id, boolean resumed, Map<String, String> sources);
    }

    /**
     * Plans the job that computes views from Kafka to Kafka and a store.
     *
     * @param lookups the views' lookup tables
     * @param store the name of a store that is open in this process; null = none
     */
    public static JobPlan run(
            List<FeatureView> views,
            DeploymentConfig deploymentConfig,
            LookupSources lookups,
            @Nullable String store,
            ClockSpec clock) {
        JobKind.Job job = JobKind.RUN.of(deploymentConfig);
        return new JobPlan(
                job.name(),
                job.checkpoints(),
                job.stopCommand(),
                false,
                names(views),
                deploymentConfig.checkpoints().every(),
                views,
                deploymentConfig,
                lookups instanceof RedisLookups ? List.of(RedisLookups.class) : List.of(),
                kafka -> kafka.prepare(views),
                (environment, id, resumed, sources) -> new ComputeJob(
                                id,
                                deploymentConfig.deployment(),
                                views,
                                new ComputeJob.Topics(clusters(deploymentConfig), consumerClusters(deploymentConfig)),
                                lookups,
                                store,
                                clock,
                                sources)
                        .addTo(environment));
    }

    /**
     * Plans the job that publishes rows of views from Kafka into the store.
     *
     * @param toItsEnd whether to end after the last record that the topics contain now
     */
    public static JobPlan publish(List<FeatureView> views, DeploymentConfig deploymentConfig, boolean toItsEnd) {
        StoreAddress store = ConfiguredStore.address(deploymentConfig.store(), views);
        JobKind.Job job = JobKind.PUBLISH.of(deploymentConfig);
        return new JobPlan(
                job.name(),
                job.checkpoints(),
                job.stopCommand(),
                false,
                names(views),
                deploymentConfig.checkpoints().every(),
                views,
                deploymentConfig,
                List.of(store.getClass()),
                kafka -> kafka.prepareToPublish(views),
                (environment, id, resumed, sources) -> new LoadJob(
                                id,
                                deploymentConfig.deployment(),
                                views,
                                clusters(deploymentConfig),
                                store,
                                deploymentConfig.load(),
                                ClockSpec.system(),
                                toItsEnd)
                        .addTo(environment));
    }

    /**
     * Plans the job that loads a table into the store. It resumes from a checkpoint only for the same table and definition.
     *
     * @param rate rows per second; infinite = unlimited
     * @param deadLetters a file
     */
    static JobPlan materialize(
            Materialization spec,
            TableFiles files,
            DeploymentConfig deploymentConfig,
            long beganMs,
            double rate,
            Path deadLetters) {
        StoreAddress store = ConfiguredStore.address(deploymentConfig.store(), List.of(spec.view()));
        String view = spec.view().qualifiedName();
        String deployment = deploymentConfig.deployment();
        return new JobPlan(
                "thalweg " + deployment + " materialize " + view,
                CheckpointFolder.of(deploymentConfig, deployment + "/materialize/" + view + "/" + files.fingerprint()),
                "the cancel button on the cluster's page",
                true,
                List.of(view),
                deploymentConfig.checkpoints().every(),
                List.of(spec.view()),
                deploymentConfig,
                List.of(store.getClass()),
                kafka -> List.of(),
                (environment, id, resumed, sources) -> new MaterializeJob(
                                id,
                                spec,
                                files.splits(),
                                beganMs,
                                rate,
                                store,
                                deploymentConfig.load(),
                                ClockSpec.system(),
                                deadLetters.toAbsolutePath().toString())
                        .addTo(environment));
    }

    /**
     * Plans the job that ingests files into a table. It resumes from a checkpoint only for the same files and definition.
     *
     * @param input what is read
     * @param deadLetters a file
     */
    public static JobPlan ingest(
            IngestPlan ingest, IngestInput input, DeploymentConfig deploymentConfig, Path deadLetters) {
        String name = ingest.ingest().qualifiedName();
        String deployment = deploymentConfig.deployment();
        CheckpointFolder checkpoints = CheckpointFolder.of(
                deploymentConfig,
                deployment + "/ingest/" + name + "/"
                        + input.fingerprintInto(
                                ingest, IngestTargets.place(ingest.ingest().sink(), deploymentConfig)));
        return new JobPlan(
                "thalweg " + deployment + " ingest " + name,
                checkpoints,
                "Ctrl-C",
                true,
                List.of(name),
                ingest.ingest().sink().every(),
                List.of(),
                deploymentConfig,
                List.of(),
                kafka -> kafka.prepareToWrite(ingest.ingest().sink()),
                (environment, id, resumed, sources) -> new IngestJob(
                                id,
                                ingest,
                                new RecordInput.OfFiles(input.files()),
                                IngestTargets.output(
                                        ingest.ingest().sink(),
                                        deploymentConfig,
                                        new IngestTargets.Writer(
                                                checkpoints.outputName(resumed, ingestRun(name, id)),
                                                checkpoints.writerName(),
                                                deployment + "/ingest/" + name + "/files")),
                                new FileDeadLetters(deadLetters.toAbsolutePath().toString()))
                        .addTo(environment));
    }

    /**
     * Plans the job that replays dead letters into a table.
     *
     * @param letters a file of dead letters
     * @param failed the file for dead letters of messages that fail again
     */
    static JobPlan replay(
            IngestPlan ingest,
            IngestFile letters,
            DeploymentConfig deploymentConfig,
            CheckpointFolder checkpoints,
            Path failed) {
        String name = ingest.ingest().qualifiedName();
        return new JobPlan(
                "thalweg " + deploymentConfig.deployment() + " replay " + name,
                checkpoints,
                "Ctrl-C",
                true,
                List.of(name),
                ingest.ingest().sink().every(),
                List.of(),
                deploymentConfig,
                List.of(),
                kafka -> kafka.prepareToWrite(ingest.ingest().sink()),
                (environment, id, resumed, sources) -> new IngestJob(
                                id,
                                ingest,
                                new RecordInput.OfDeadLetters(letters),
                                IngestTargets.output(
                                        ingest.ingest().sink(),
                                        deploymentConfig,
                                        new IngestTargets.Writer(
                                                checkpoints.outputName(resumed, ingestRun(name, id)),
                                                checkpoints.writerName(),
                                                deploymentConfig.deployment() + "/replay/" + name)),
                                new FileDeadLetters(failed.toAbsolutePath().toString()))
                        .addTo(environment));
    }

    /**
     * Plans the job that ingests a topic into a table, until it is stopped.
     *
     * @param deadLetters a file; null = the definition's topic
     */
    public static JobPlan ingest(
            IngestPlan ingest, Ingest.Topic topic, DeploymentConfig deploymentConfig, @Nullable Path deadLetters) {
        String name = ingest.ingest().qualifiedName();
        String group = "thalweg-" + deploymentConfig.deployment() + "-ingest-" + name;
        String letters = ingest.ingest().deadLetters().topic();
        JobKind.Job job = JobKind.INGEST.of(deploymentConfig, name);
        return new JobPlan(
                job.name(),
                job.checkpoints(),
                job.stopCommand(),
                false,
                List.of(name),
                ingest.ingest().sink().every(),
                List.of(),
                deploymentConfig,
                IngestTargets.needed(ingest.ingest().sink()),
                kafka -> {
                    kafka.requireToIngest(topic);
                    IngestTargets.require(ingest, deploymentConfig);
                    return kafka.prepareToIngest(
                            topic, ingest.ingest().sink(), deadLetters == null ? Set.of(letters) : Set.of());
                },
                (environment, id, resumed, sources) -> {
                    Map<String, String> cluster = cluster(deploymentConfig, topic.kafka());
                    new IngestJob(
                                    id,
                                    ingest,
                                    new RecordInput.OfTopic(
                                            topic.kafka(),
                                            TopicRead.of(
                                                    topic.topic(),
                                                    reader(deploymentConfig, topic.kafka()),
                                                    cluster,
                                                    group,
                                                    topic.firstMs(System.currentTimeMillis())),
                                            topic.onLost() == Ingest.OnLost.SKIP),
                                    IngestTargets.output(
                                            ingest.ingest().sink(),
                                            deploymentConfig,
                                            new IngestTargets.Writer(
                                                    ingestRun(name, id),
                                                    job.checkpoints().writerName(),
                                                    job.folder())),
                                    deadLetters == null
                                            ? new KafkaDeadLetters(letters, cluster)
                                            : new FileDeadLetters(
                                                    deadLetters.toAbsolutePath().toString()))
                            .addTo(environment);
                });
    }

    /**
     * Plans the job that ingests a subscription into a table, until it is stopped.
     *
     * @param deadLetters files
     */
    public static JobPlan ingest(
            IngestPlan ingest, Ingest.PubSub source, DeploymentConfig deploymentConfig, DeadLetters deadLetters) {
        String name = ingest.ingest().qualifiedName();
        JobKind.Job job = JobKind.INGEST.of(deploymentConfig, name);
        DurationText dedup = source.dedup();
        Set<Class<?>> needed = new LinkedHashSet<>(List.of(PubSubAddress.class));
        needed.addAll(IngestTargets.needed(ingest.ingest().sink()));
        return new JobPlan(
                job.name(),
                job.checkpoints(),
                job.stopCommand(),
                false,
                List.of(name),
                ingest.ingest().sink().every(),
                List.of(),
                deploymentConfig,
                List.copyOf(needed),
                kafka -> {
                    List<String> notes = new ArrayList<>(PubSubTargets.require(source, deploymentConfig));
                    IngestTargets.require(ingest, deploymentConfig);
                    notes.addAll(kafka.prepareToWrite(ingest.ingest().sink()));
                    return notes;
                },
                (environment, id, resumed, sources) -> new IngestJob(
                                id,
                                ingest,
                                new RecordInput.OfSubscription(
                                        PubSubTargets.address(source, deploymentConfig),
                                        source.streams(),
                                        dedup == null ? null : dedup.duration()),
                                IngestTargets.output(
                                        ingest.ingest().sink(),
                                        deploymentConfig,
                                        new IngestTargets.Writer(
                                                ingestRun(name, id),
                                                job.checkpoints().writerName(),
                                                job.folder())),
                                deadLetters)
                        .addTo(environment));
    }

    /** Returns the common name of a run's files. */
    static String ingestRun(String ingest, String id) {
        return ingest + "-" + id.substring(0, 8);
    }

    /** Client properties of a cluster. */
    static Map<String, String> cluster(DeploymentConfig deploymentConfig, String name) {
        return Objects.requireNonNull(clusters(deploymentConfig).get(name), "checked with the topics");
    }

    /**
     * Client properties of a cluster.
     *
     * @throws UserError if the deployment does not have it
     */
    public static Map<String, String> requiredCluster(DeploymentConfig deploymentConfig, String name) {
        Map<String, String> cluster = clusters(deploymentConfig).get(name);
        if (cluster == null) {
            throw UserError.usage(
                    "kafka.%s is not in thalweg.yaml".formatted(name),
                    "add it, such as kafka: {%s: {bootstrap: \"localhost:9092\"}}".formatted(name));
        }
        return cluster;
    }

    /** Returns the offset of the last record of each partition; none for partitions without a record that this start would read. */
    public Map<Integer, Long> ends(Ingest.Topic topic, String resume) {
        boolean resumes = checkpoints.resumeFrom(resume, names) != null;
        long sinceMs = resumes ? 0 : topic.firstMs(System.currentTimeMillis());
        try {
            return TopicEnds.lastRecords(topic.topic(), cluster(deploymentConfig, topic.kafka()), sinceMs);
        } catch (KafkaException e) {
            throw UserError.failed(
                            "the end of topic %s cannot be found: %s".formatted(topic.topic(), e.getMessage()),
                            "is the broker reachable? See kafka.%s in thalweg.yaml".formatted(topic.kafka()))
                    .causedBy(e);
        }
    }

    private static List<String> names(List<FeatureView> views) {
        return views.stream().map(FeatureView::qualifiedName).toList();
    }

    /** Returns the views that are computed from events. A table has neither a read of a topic nor state. */
    List<FeatureView> overEvents() {
        return views.stream().filter(view -> !view.isTable()).toList();
    }

    /** Checks what the job reads and writes; returns what it created and what the user should know, for people. */
    List<String> prepare() {
        return targets.prepare(new KafkaTopics(clusters(deploymentConfig)));
    }

    private static DeploymentConfig.Kafka.Reader reader(DeploymentConfig deploymentConfig, String cluster) {
        return Objects.requireNonNull(deploymentConfig.kafka().get(cluster), "checked with the topics")
                .reader();
    }

    private static Set<String> consumerClusters(DeploymentConfig deploymentConfig) {
        return deploymentConfig.kafka().entrySet().stream()
                .filter(cluster -> cluster.getValue().reader() == DeploymentConfig.Kafka.Reader.CONSUMER)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    /** Client properties of each cluster. */
    static Map<String, Map<String, String>> clusters(DeploymentConfig deploymentConfig) {
        Map<String, Map<String, String>> clusters = new LinkedHashMap<>();
        deploymentConfig.kafka().forEach((name, kafka) -> {
            Map<String, String> properties = new LinkedHashMap<>(kafka.properties());
            properties.put("bootstrap.servers", kafka.bootstrap());
            clusters.put(name, properties);
        });
        return clusters;
    }

    /** Requires that the rows of a view can be published: it has a topic of rows in a format that is read back. */
    public static void requireRows(FeatureView view) {
        SinkSpec sink = view.sink();
        if (sink == null) {
            throw UserError.usage(
                    "view %s has no sink: there is no topic to publish from".formatted(view.qualifiedName()),
                    "give it one, such as sink: {topic: %s-features}, and let thalweg run fill it"
                            .formatted(view.name()));
        }
        if (sink.format() == SinkSpec.Format.AVRO) {
            throw UserError.usage(
                    "sink.format of view %s must be packed or json to be published, was avro"
                            .formatted(view.qualifiedName()),
                    "say format: packed, or publish from a second view that writes it");
        }
    }
}
