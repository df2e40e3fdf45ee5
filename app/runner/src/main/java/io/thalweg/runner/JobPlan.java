package io.thalweg.runner;

import io.thalweg.formats.lookup.LookupSources;
import io.thalweg.jobs.deadletters.DeadLetters;
import io.thalweg.jobs.deadletters.FileDeadLetters;
import io.thalweg.jobs.ingest.file.IngestFile;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.jobs.kafka.cluster.TopicEnds;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.model.table.Materialization;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.SinkSpec;
import io.thalweg.tables.TableFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * The plan of a job, to be started in this process or on a cluster.
 *
 * @param job its name, its folder and the command that stops it
 * @param checkpoints the folder of its checkpoints
 * @param work what it does
 */
public record JobPlan(JobKind.Job job, CheckpointFolder checkpoints, JobWork work) {
    private static final String BOUNDED = "Ctrl-C";

    private JobPlan(JobKind.Job job, JobWork work) {
        this(job, job.checkpoints(), work);
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
        return new JobPlan(
                JobKind.RUN.of(deploymentConfig), new JobWork.Compute(views, deploymentConfig, lookups, store, clock));
    }

    /**
     * Plans the job that publishes rows of views from Kafka into the store.
     *
     * @param toItsEnd whether to end after the last record that the topics contain now
     */
    public static JobPlan publish(List<FeatureView> views, DeploymentConfig deploymentConfig, boolean toItsEnd) {
        return new JobPlan(
                JobKind.PUBLISH.of(deploymentConfig),
                new JobWork.Publish(
                        views, deploymentConfig, ConfiguredStore.address(deploymentConfig.store(), views), toItsEnd));
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
        String view = spec.view().qualifiedName();
        return new JobPlan(
                job(
                        deploymentConfig,
                        "materialize " + view,
                        "/materialize/" + view + "/" + files.fingerprint(),
                        "the cancel button on the cluster's page"),
                new JobWork.Load(
                        spec,
                        files,
                        deploymentConfig,
                        ConfiguredStore.address(deploymentConfig.store(), List.of(spec.view())),
                        beganMs,
                        rate,
                        deadLetters));
    }

    private static JobKind.Job job(DeploymentConfig deploymentConfig, String name, String folder, String stopCommand) {
        String deployment = deploymentConfig.deployment();
        return new JobKind.Job(
                "thalweg " + deployment + " " + name, deploymentConfig, deployment + folder, stopCommand);
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
        String fingerprint = input.fingerprintInto(
                ingest, IngestTargets.place(ingest.ingest().sink(), deploymentConfig));
        return new JobPlan(
                job(deploymentConfig, "ingest " + name, "/ingest/" + name + "/" + fingerprint, BOUNDED),
                new JobWork.Ingestion(
                        ingest,
                        new JobWork.Files(input.files()),
                        deploymentConfig,
                        file(deadLetters),
                        deploymentConfig.deployment() + "/ingest/" + name + "/files"));
    }

    private static DeadLetters file(Path deadLetters) {
        return new FileDeadLetters(deadLetters.toAbsolutePath().toString());
    }

    /**
     * Plans the job that replays dead letters into a table.
     *
     * @param letters a file of dead letters
     * @param failed the file for dead letters of messages that fail again
     */
    static JobPlan replay(IngestPlan ingest, IngestFile letters, DeploymentConfig deploymentConfig, Path failed) {
        String name = ingest.ingest().qualifiedName();
        return new JobPlan(
                job(deploymentConfig, "replay " + name, "/replay/" + name + "/job", BOUNDED),
                new JobWork.Ingestion(
                        ingest,
                        new JobWork.ReplayedFile(letters),
                        deploymentConfig,
                        file(failed),
                        deploymentConfig.deployment() + "/replay/" + name));
    }

    /**
     * Plans the job that ingests a topic into a table, until it is stopped.
     *
     * @param deadLetters a file; null = the definition's topic
     */
    public static JobPlan ingest(
            IngestPlan ingest, Ingest.Topic topic, DeploymentConfig deploymentConfig, @Nullable Path deadLetters) {
        return live(ingest, new JobWork.Topic(topic), deploymentConfig, deadLetters == null ? null : file(deadLetters));
    }

    /**
     * Plans the job that ingests a subscription into a table, until it is stopped.
     *
     * @param deadLetters files
     */
    public static JobPlan ingest(
            IngestPlan ingest, Ingest.PubSub source, DeploymentConfig deploymentConfig, DeadLetters deadLetters) {
        return live(ingest, new JobWork.Subscription(source), deploymentConfig, deadLetters);
    }

    private static JobPlan live(
            IngestPlan ingest,
            JobWork.Input input,
            DeploymentConfig deploymentConfig,
            @Nullable DeadLetters deadLetters) {
        JobKind.Job job = JobKind.INGEST.of(deploymentConfig, ingest.ingest().qualifiedName());
        return new JobPlan(job, new JobWork.Ingestion(ingest, input, deploymentConfig, deadLetters, job.folder()));
    }

    /** The name of the job on its cluster. */
    String name() {
        return job.name();
    }

    /** Returns the common name of a run's files. */
    static String runName(String of, String id) {
        return of + "-" + id.substring(0, 8);
    }

    /** Returns the offset of the last record of each partition; none for partitions without a record that this start would read. */
    public Map<Integer, Long> ends(Ingest.Topic topic, String resume) {
        boolean resumes = checkpoints.resumeFrom(resume, work.names()) != null;
        long sinceMs = resumes ? 0 : topic.firstMs(System.currentTimeMillis());
        try {
            return TopicEnds.lastRecords(
                    topic.topic(), KafkaClusters.of(job.deploymentConfig(), topic.kafka()), sinceMs);
        } catch (KafkaException e) {
            throw UserError.failed(
                            "the end of topic %s cannot be found: %s".formatted(topic.topic(), e.getMessage()),
                            "is the broker reachable? See kafka.%s in thalweg.yaml".formatted(topic.kafka()))
                    .causedBy(e);
        }
    }

    /** Returns the views that are computed from events. A table has neither a read of a topic nor state. */
    List<FeatureView> overEvents() {
        return work.views().stream().filter(view -> !view.isTable()).toList();
    }

    /** Checks what the job reads and writes; returns what it created and what the user should know, for people. */
    List<String> prepare() {
        return work.prepare(new KafkaTopics(KafkaClusters.of(job.deploymentConfig())));
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
