package io.thalweg.jobs.compute;

import io.thalweg.formats.DeadLetter;
import io.thalweg.formats.lookup.LookupSources;
import io.thalweg.jobs.block.DecodedBlock;
import io.thalweg.jobs.block.KeyedShardBlock;
import io.thalweg.jobs.block.OutputItem;
import io.thalweg.jobs.block.ShardBlock;
import io.thalweg.jobs.block.Shards;
import io.thalweg.jobs.block.SliceBlock;
import io.thalweg.jobs.file.FileBlockSource;
import io.thalweg.jobs.file.FileBlockSource.Partitions;
import io.thalweg.jobs.kafka.EventBlockSource;
import io.thalweg.jobs.kafka.TopicRead;
import io.thalweg.jobs.letters.DeadLetters;
import io.thalweg.jobs.letters.KafkaDeadLetters;
import io.thalweg.jobs.sink.EncodeRows;
import io.thalweg.jobs.sink.KafkaRecord;
import io.thalweg.jobs.sink.LocalDeadLetterSink;
import io.thalweg.jobs.sink.LocalDeadLetters;
import io.thalweg.jobs.sink.LocalRowSink;
import io.thalweg.jobs.sink.RowTap;
import io.thalweg.jobs.sink.StoreOperator;
import io.thalweg.jobs.sink.TopicWrite;
import io.thalweg.jobs.sink.VerifiedKafkaSink;
import io.thalweg.model.FeatureView;
import io.thalweg.model.SinkSpec;
import io.thalweg.model.Source;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.deployment.DeploymentConfig.Kafka;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.flink.api.common.eventtime.NoWatermarksGenerator;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/**
 * Wires feature views into one Flink job: read and decode, route, accumulate panes, assemble features, sink. Views with the
 * same source share its read; keyed views accumulate and assemble in one step.
 *
 * <p>Operators are named by their view, so that adding or removing one leaves the state of the others alone.
 *
 * @param jobId names what this process shares with the job: metrics and streams
 * @param deployment names the consumer group and the prefix of transactions
 * @param lookups where the views' tables are
 * @param storePath the store that rows go to, as {@link StoreOperator} takes it; null = none
 * @param resumed whether the job begins from a checkpoint
 * @param recordedSources the names of the reads in the run that is resumed, by the view's qualified name: {@link SourceNames}
 */
public record ComputeJob(
        String jobId,
        String deployment,
        List<FeatureView> views,
        Input input,
        LookupSources lookups,
        @Nullable String storePath,
        ClockSpec clock,
        boolean resumed,
        Map<String, String> recordedSources) {

    /** A job that resumes no run, or one in which each topic was read once. */
    public ComputeJob(
            String jobId,
            String deployment,
            List<FeatureView> views,
            Input input,
            LookupSources lookups,
            @Nullable String storePath,
            ClockSpec clock,
            boolean resumed) {
        this(jobId, deployment, views, input, lookups, storePath, clock, resumed, Map.of());
    }

    /** Where events come from and where what leaves goes. */
    public sealed interface Input {}

    /**
     * Topics in, topics out.
     *
     * @param clusters client properties by the cluster's name, {@code bootstrap.servers} among them
     * @param consumerClusters the clusters that are read with {@link Kafka.Reader#CONSUMER}
     */
    public record Topics(Map<String, Map<String, String>> clusters, Set<String> consumerClusters) implements Input {
        /** Topics that are read in batches. */
        public Topics(Map<String, Map<String, String>> clusters) {
            this(clusters, Set.of());
        }

        private Kafka.Reader reader(String cluster) {
            return consumerClusters.contains(cluster) ? Kafka.Reader.CONSUMER : Kafka.Reader.BATCHES;
        }
    }

    /**
     * Files in, the job's streams of this process out.
     *
     * @param files by topic of the source, in reading order; {@code -} is the standard input
     * @param partitions what the files of a topic are
     * @param rowsOut whether rows are written to the streams
     * @param deadLettersOut whether dead letters are, too, or only counted
     */
    public record Files(Map<String, List<String>> files, Partitions partitions, boolean rowsOut, boolean deadLettersOut)
            implements Input {
        /** Files that are one partition. */
        public Files(Map<String, List<String>> files, boolean rowsOut, boolean deadLettersOut) {
            this(files, Partitions.ONE, rowsOut, deadLettersOut);
        }
    }

    /**
     * Files in, topics out: a job that ends, and still owes its topics what {@code sink.delivery} promises.
     *
     * @param files by topic of the source, in reading order
     * @param clusters client properties by the cluster's name, {@code bootstrap.servers} among them
     */
    public record FilesToTopics(Map<String, List<String>> files, Map<String, Map<String, String>> clusters)
            implements Input {}

    private static final Duration ALIGNMENT_CHECK = Duration.ofMillis(500);

    /** Adds the job's operators to an environment. */
    public void addTo(StreamExecutionEnvironment environment) {
        environment.setMaxParallelism(Shards.COUNT);
        Map<String, String> names = SourceNames.of(views, recordedSources);
        // One now for all, so that all views begin with the same window end.
        long nowMs = clock.toClock(Clock.systemUTC()).millis();
        SourceNames.reads(views)
                .forEach((source, sharing) -> addSource(
                        environment,
                        source,
                        sharing,
                        Objects.requireNonNull(names.get(sharing.get(0).qualifiedName())),
                        nowMs));
    }

    private void addSource(
            StreamExecutionEnvironment environment, Source source, List<FeatureView> sharing, String name, long nowMs) {
        long startMs = startMs(source, sharing, nowMs);
        DataStream<DecodedBlock> events = read(environment, source, sharing, name, startMs);
        SingleOutputStreamOperator<Void> routed = events.transform(
                        "route " + String.join(", ", source.topics()), Types.VOID, new RouteOperator(sharing, jobId))
                .setParallelism(events.getParallelism())
                .uid("route/" + name);
        long coveredFromMs = coveredFromMs(source, startMs, nowMs);
        for (FeatureView view : sharing) {
            deadLetters(view, routed.getSideOutput(RouteOperator.deadLetters(view)));
            sink(
                    view,
                    view.isKeyed()
                            ? keyed(view, routed.getSideOutput(RouteOperator.keys(view)), coveredFromMs)
                            : withRings(view, routed.getSideOutput(RouteOperator.cells(view)), coveredFromMs));
        }
    }

    private DataStream<DecodedBlock> read(
            StreamExecutionEnvironment environment,
            Source source,
            List<FeatureView> sharing,
            String name,
            long startMs) {
        Map<String, List<String>> files = files();
        if (files != null) {
            List<String> paths = files.getOrDefault(source.topics().get(0), List.of());
            return environment
                    .fromSource(
                            new FileBlockSource(source, sharing, paths, partitions(), lookups, jobId),
                            WatermarkStrategy.<DecodedBlock>forGenerator(c -> new NoWatermarksGenerator<>()),
                            name,
                            DecodedBlock.TYPE)
                    .setParallelism(1)
                    .uid(name);
        }
        Map<String, String> properties = new LinkedHashMap<>(cluster(source.kafka()));
        // Each read commits the offsets of a group of its own, so that the lag of each can be watched.
        properties.merge("group.id", "thalweg-" + deployment, (given, usual) -> given);
        properties.computeIfPresent("group.id", (key, group) -> group + SourceNames.suffix(name));
        properties.putIfAbsent("client.id", "thalweg-" + deployment);
        return environment
                .fromSource(
                        new EventBlockSource(
                                source,
                                sharing,
                                new TopicRead(
                                        source.topics(), ((Topics) input).reader(source.kafka()), properties, startMs),
                                lookups,
                                jobId,
                                clock),
                        WatermarkStrategy.<DecodedBlock>forGenerator(c -> new NoWatermarksGenerator<>())
                                .withWatermarkAlignment(name, EventBlockSource.maxDrift(sharing), ALIGNMENT_CHECK),
                        name,
                        DecodedBlock.TYPE)
                .uid(name);
    }

    // Keys are chosen by lambdas: serialised references to a method that two blocks inherit are taken for one another.

    private DataStream<OutputItem> withRings(FeatureView view, DataStream<ShardBlock> blocks, long coveredFromMs) {
        String id = view.qualifiedName();
        return blocks.keyBy(block -> block.recordKey(), Types.INT)
                .transform(
                        "accumulate " + id,
                        SliceBlock.TYPE,
                        new AccumulateOperator(view, jobId, input instanceof Topics))
                .uid(id + "/accumulate")
                .keyBy(SliceBlock::recordKey, Types.INT)
                .transform(
                        "assemble " + id,
                        OutputItem.TYPE,
                        new AssembleOperator(view, coveredFromMs, leavesPacked(view), jobId))
                .uid(id + "/assemble");
    }

    /** Whether no consumer outside reads the rows as numbers. */
    private boolean leavesPacked(FeatureView view) {
        SinkSpec sink = view.sink();
        return !(input instanceof Files) && (sink == null || sink.format() == SinkSpec.Format.PACKED);
    }

    /**
     * Aggregates events of a keyed view that the caller has routed: for sources that have columns already.
     *
     * @param jobId names the job to those who read from it live
     */
    public static DataStream<OutputItem> aggregate(FeatureView view, DataStream<KeyedShardBlock> blocks, String jobId) {
        return aggregate(view, blocks, new KeyedOperator(view, Long.MIN_VALUE, jobId, true));
    }

    private static DataStream<OutputItem> aggregate(
            FeatureView view, DataStream<KeyedShardBlock> blocks, KeyedOperator operator) {
        String id = view.qualifiedName();
        return blocks.keyBy(block -> block.recordKey(), Types.INT)
                .transform("aggregate " + id, OutputItem.TYPE, operator)
                .uid(id + "/aggregate");
    }

    /** With events from files, time passes as fast as they are read, so there are no early rows and no live reads. */
    private DataStream<OutputItem> keyed(FeatureView view, DataStream<KeyedShardBlock> blocks, long coveredFromMs) {
        boolean live = input instanceof Topics;
        FeatureView computed = live ? view : view.withoutEarly();
        return aggregate(view, blocks, new KeyedOperator(computed, coveredFromMs, jobId, live));
    }

    /** The store comes last: its writer shares the bits that were made for Kafka, and Kafka does not wait for it. */
    private void sink(FeatureView view, DataStream<OutputItem> rows) {
        String id = view.qualifiedName();
        sinkOutside(view, rows);
        if (RowTap.isWatched(jobId)) {
            rows.sinkTo(new RowTap(jobId)).name("tap " + id).uid(id + "/tap");
        }
        if (storePath != null) {
            rows.transform(
                            "store " + id,
                            Types.VOID,
                            new StoreOperator(view, storePath, deadLettersOfRows(view), clock, jobId))
                    .uid(id + "/store");
        }
    }

    /** Rows that the store refuses go where the view's events go that are bad. */
    private DeadLetters deadLettersOfRows(FeatureView view) {
        return input instanceof Files files
                ? new LocalDeadLetters(jobId, files.deadLettersOut())
                : new KafkaDeadLetters(
                        view.deadLetterTopic(), cluster(view.source().kafka()));
    }

    private void sinkOutside(FeatureView view, DataStream<OutputItem> rows) {
        String id = view.qualifiedName();
        if (input instanceof Files files) {
            if (files.rowsOut()) {
                rows.sinkTo(new LocalRowSink(view, jobId)).name("rows " + id).uid(id + "/rows");
            }
            return;
        }
        SinkSpec sink = view.sink();
        if (sink == null) {
            return;
        }
        boolean transactions = sink.delivery() == SinkSpec.Delivery.EXACTLY_ONCE;
        if (transactions && view.early() != null) {
            // Early rows cannot wait for a commit.
            toKafka(view, sink, rows.filter(OutputItem::isPartial), "/early", untilAcknowledged(sink));
            toKafka(view, sink, rows.filter(item -> !item.isPartial()), "", inTransactions(view, sink));
        } else {
            toKafka(view, sink, rows, "", transactions ? inTransactions(view, sink) : untilAcknowledged(sink));
        }
    }

    private void toKafka(
            FeatureView view, SinkSpec sink, DataStream<OutputItem> rows, String part, Sink<KafkaRecord> kafka) {
        String id = view.qualifiedName() + part;
        rows.flatMap(new EncodeRows(view, sink.format(), clock))
                .returns(KafkaRecord.TYPE)
                .name("encode " + id)
                .uid(id + "/encode")
                .sinkTo(kafka)
                .name("kafka " + sink.topic())
                .uid(id + "/kafka");
    }

    private Sink<KafkaRecord> untilAcknowledged(SinkSpec sink) {
        return new TopicWrite(sink.topic(), cluster(sink.kafka())).untilAcknowledged();
    }

    private Sink<KafkaRecord> inTransactions(FeatureView view, SinkSpec sink) {
        TopicWrite topic = new TopicWrite(sink.topic(), cluster(sink.kafka()));
        return new VerifiedKafkaSink<>(
                topic.inTransactions("thalweg-" + deployment + "-" + view.qualifiedName()), topic.cluster());
    }

    private void deadLetters(FeatureView view, DataStream<DeadLetter> letters) {
        String id = view.qualifiedName();
        if (input instanceof Files files) {
            if (files.deadLettersOut()) {
                letters.sinkTo(new LocalDeadLetterSink(jobId))
                        .setParallelism(1)
                        .name("dead letters " + id)
                        .uid(id + "/dead");
            }
            return;
        }
        TopicWrite topic =
                new TopicWrite(view.deadLetterTopic(), cluster(view.source().kafka()));
        // Dead letters cannot be serialized, so their encoder and sink are chained to the operator that produces them.
        int readers = letters.getParallelism();
        letters.map(new EncodeDeadLetter(clock))
                .returns(KafkaRecord.TYPE)
                .setParallelism(readers)
                .name("encode dead letters " + id)
                .uid(id + "/dead/encode")
                .sinkTo(topic.untilAcknowledged())
                .setParallelism(readers)
                .name("kafka " + view.deadLetterTopic())
                .uid(id + "/dead");
    }

    /** The files that are read; null = topics are. */
    private @Nullable Map<String, List<String>> files() {
        if (input instanceof Files files) {
            return files.files();
        }
        return input instanceof FilesToTopics files ? files.files() : null;
    }

    private Partitions partitions() {
        return input instanceof Files files ? files.partitions() : Partitions.ONE;
    }

    private Map<String, Map<String, String>> clusters() {
        if (input instanceof Topics topics) {
            return topics.clusters();
        }
        return input instanceof FilesToTopics topics ? topics.clusters() : Map.of();
    }

    private Map<String, String> cluster(String name) {
        Map<String, String> properties = clusters().get(name);
        if (properties == null) {
            throw new IllegalArgumentException("kafka cluster '" + name + "' is not in thalweg.yaml");
        }
        return properties;
    }

    /** Record timestamp to begin at on a first start; see {@link TopicRead}. */
    private static long startMs(Source source, List<FeatureView> sharing, long nowMs) {
        return switch (source.start().kind()) {
            case EARLIEST -> Long.MIN_VALUE;
            case LATEST -> Long.MAX_VALUE;
            case TIMESTAMP -> Objects.requireNonNull(source.start().at()).toEpochMilli();
            case LOOKBACK -> nowMs - lookbackMs(source, sharing);
        };
    }

    private static long lookbackMs(Source source, List<FeatureView> sharing) {
        long largest = 0;
        for (FeatureView view : sharing) {
            largest = Math.max(
                    largest,
                    view.windows().largestPanes() * view.windows().every().millis());
        }
        return largest + source.maxOutOfOrderness().millis();
    }

    /** Event time from which on all events are read by this start of the job, if no checkpoint knows better. */
    private long coveredFromMs(Source source, long startMs, long nowMs) {
        if (files() != null) {
            return Long.MIN_VALUE;
        }
        if (resumed || startMs == Long.MAX_VALUE) {
            return nowMs;
        }
        boolean lookback = source.start().kind() == Source.Start.Kind.LOOKBACK;
        return lookback ? startMs + source.maxOutOfOrderness().millis() : startMs;
    }
}
