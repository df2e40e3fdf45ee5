package io.thalweg.runner;

import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.model.source.Source;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.SinkSpec;
import io.thalweg.model.yaml.DurationText;
import java.util.List;

/** A definition whose job a trial runs. */
sealed interface TrialSpec {
    /** Where a job of a trial starts reading: at the first record of its sample. */
    Source.Start EARLIEST = new Source.Start(Source.Start.Kind.EARLIEST, null);

    /** The command that runs the job, for people. */
    String command();

    /** The topics that the job reads. */
    List<String> topics();

    /** The cluster of the topics in {@code thalweg.yaml}. */
    String kafka();

    /** How often the job takes checkpoints. */
    default DurationText checkpoints(DeploymentConfig deployment) {
        return deployment.checkpoints().every();
    }

    /** Whether the job writes to a store in batches. */
    default boolean loads() {
        return false;
    }

    /** An ingest of a topic. */
    record OfIngest(Ingest ingest, Ingest.Topic topic) implements TrialSpec {
        @Override
        public String command() {
            return "ingest " + ingest.qualifiedName();
        }

        @Override
        public List<String> topics() {
            return List.of(topic.topic());
        }

        @Override
        public String kafka() {
            return topic.kafka();
        }

        @Override
        public DurationText checkpoints(DeploymentConfig deployment) {
            return ingest.sink().every();
        }

        /** Returns the plan with its schemas, reading from the sample's first record. */
        IngestPlan plan(DeploymentConfig deployment, Ingest.Sink sink) {
            Ingest.Topic sample = new Ingest.Topic(topic.topic(), topic.kafka(), EARLIEST, topic.onLost());
            var registries = Registries.of(deployment);
            return IngestPlan.of(ingest.withFrom(sample).withSink(sink, ingest.rows()), registries)
                    .resolved(registries);
        }
    }

    /** A view over events. */
    record OfView(FeatureView view) implements TrialSpec {
        @Override
        public String command() {
            return "run " + view.qualifiedName();
        }

        @Override
        public List<String> topics() {
            return view.source().topics();
        }

        @Override
        public String kafka() {
            return view.source().kafka();
        }
    }

    /** The publication of a view's rows into the store. */
    record OfPublication(FeatureView view, SinkSpec sink) implements TrialSpec {
        @Override
        public String command() {
            return "publish " + view.qualifiedName();
        }

        @Override
        public List<String> topics() {
            return List.of(sink.topic());
        }

        @Override
        public String kafka() {
            return sink.kafka();
        }

        @Override
        public boolean loads() {
            return true;
        }
    }

    /**
     * Returns the definition of an argument.
     *
     * @param argument a file, or a name of the {@code views:} folders
     * @param publish whether the publication of a view is meant
     * @throws UserError if there is none, or its job reads no topic
     */
    static TrialSpec of(ViewFiles files, String argument, boolean publish) {
        if (argument.isEmpty()) {
            throw UserError.usage("--try needs a view or an ingest", "such as thalweg tune examples/demand.yaml --try");
        }
        if (files.meansIngest(argument)) {
            Ingest ingest = files.oneIngest(argument);
            if (publish) {
                throw UserError.usage(
                        "--publish goes with a view, and %s is an ingest".formatted(ingest.qualifiedName()),
                        "leave it out");
            }
            if (ingest.input().from() instanceof Ingest.Topic topic) {
                return new OfIngest(ingest, topic);
            }
            throw UserError.usage(
                    "--try runs jobs that read a topic, and %s reads %s"
                            .formatted(
                                    ingest.qualifiedName(),
                                    ingest.input().from().text()),
                    "see source.topic of the definition");
        }
        FeatureView view = files.one(argument);
        SinkSpec sink = view.sink();
        if (!publish) {
            if (view.source().format() == Source.Format.CSV) {
                throw UserError.usage(
                        "view " + view.qualifiedName() + " reads csv, which has no header in Kafka",
                        "--try runs jobs that read a topic");
            }
            return new OfView(view);
        }
        if (sink == null) {
            throw UserError.usage(
                    "view %s has no sink: there is no topic to publish from".formatted(view.qualifiedName()),
                    "leave --publish out");
        }
        JobPlan.requireRows(view);
        return new OfPublication(view, sink);
    }
}
