package io.thalweg.jobs.compute;

import io.thalweg.formats.DeadLetter;
import io.thalweg.formats.lookup.LookupSources;
import io.thalweg.jobs.block.DecodedBlock;
import io.thalweg.jobs.block.KeyedShardBlock;
import io.thalweg.jobs.block.OutputItem;
import io.thalweg.jobs.block.ShardBlock;
import io.thalweg.jobs.block.Shards;
import io.thalweg.jobs.block.SliceBlock;
import io.thalweg.jobs.deadletters.DeadLetters;
import io.thalweg.jobs.deadletters.KafkaDeadLetters;
import io.thalweg.jobs.file.FileBlockSource;
import io.thalweg.jobs.file.FileBlockSource.Partitions;
import io.thalweg.jobs.kafka.EventBlockSource;
import io.thalweg.jobs.kafka.TopicRead;
import io.thalweg.jobs.sink.EncodeRows;
import io.thalweg.jobs.sink.FeatureLogSink;
import io.thalweg.jobs.sink.KafkaRecord;
import io.thalweg.jobs.sink.LocalDeadLetterSink;
import io.thalweg.jobs.sink.LocalDeadLetters;
import io.thalweg.jobs.sink.LocalRowSink;
import io.thalweg.jobs.sink.LogTarget;
import io.thalweg.jobs.sink.ReadableEnd;
import io.thalweg.jobs.sink.RowTap;
import io.thalweg.jobs.sink.StoreOperator;
import io.thalweg.jobs.sink.TopicWrite;
import io.thalweg.jobs.sink.VerifiedKafkaSink;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.deployment.DeploymentConfig.Kafka;
import io.thalweg.model.source.Source;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.SinkSpec;
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
 * Builds one Flink job from feature views: read and decode, route, accumulate panes, assemble features, sink. Views with the same source
 * share its read; keyed views accumulate and assemble in one step.
 *
 * <p>Operators are named after their view, so adding or removing a view does not affect the state of the others.
 *
 * @param jobId names what this process shares with the job: metrics and streams
 * @param deployment names the consumer group and the prefix of transactions
 * @param lookups where the views' tables are
 * @param storePath the store that rows are written to, as in {@link StoreOperator}; null = none
 * @param resumedReads the names of the reads in the resumed run, by the view's qualified name: {@link SourceNames}; empty if the job
 *     does not resume from a checkpoint
 * @param logs the feature logs, by the view's qualified name
 */
public record ComputeJob(
        String jobId,
        String deployment,
        List<FeatureView> views,
        Input input,
        LookupSources lookups,
        @Nullable String storePath,
        ClockSpec clock,
        Map<String, String> resumedReads,
        Map<String, LogTarget> logs) {

    /** Creates a job without feature logs that does not resume from a checkpoint. */
    public ComputeJob(
            String jobId,
            String deployment,
            List<FeatureView> views,
            Input input,
            LookupSources lookups,
            @Nullable String storePath,
            ClockSpec clock) {
        this(jobId, deployment, views, input, lookups, storePath, clock, Map.of(), Map.of());
    }

    /** The source of events and the destination of rows and dead letters. */
    public sealed interface Input {}

    /**
     * Topics in, topics out.
     *
     * @param clusters client properties by the cluster's name, including {@code bootstrap.servers}
     * @param consumerClusters the clusters that are read with {@link Kafka.Reader#CONSUMER}
     */
    public record Topics(Map<String, Map<String, String>> clusters, Set<String> consumerClusters) implements Input {
        /** Creates an input of topics that are read in batches. */
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
     * @param partitions how the files of a topic map to partitions
     */
    public record Files(Map<String, List<String>> files, Partitions partitions) implements Input {
        /** Creates an input of files that form one partition. */
        public Files(Map<String, List<String>> files) {
            this(files, Partitions.ONE);
        }
    }

    /**
     * Files in, topics out: a bounded job that still guarantees {@code sink.delivery} to its topics.
     *
     * @param files by topic of the source, in reading order
     * @param clusters client properties by the cluster's name, including {@code bootstrap.servers}
     */
    public record FilesToTopics(Map<String, List<String>> files, Map<String, Map<String, String>> clusters)
            implements Input {}

    private static final Duration ALIGNMENT_CHECK = Duration.ofMillis(500);

    /** Adds the job's operators to an environment. */
    public void addTo(StreamExecutionEnvironment environment) {
        environment.setMaxParallelism(Shards.COUNT);
        // The same time for all views, so that they start with the same window end.
        long nowMs = clock.toClock(Clock.systemUTC()).millis();
        SourceNames.reads(views, resumedReads).forEach(read -> addSource(environment, read, nowMs));
    }

    private void addSource(StreamExecutionEnvironment environment, SourceNames.Read read, long nowMs) {
        Source source = read.source();
        List<FeatureView> sharing = read.views();
        String name = read.name();
        long startMs = startMs(source, sharing, nowMs);
        DataStream<DecodedBlock> events = read(environment, source, sharing, name, startMs);
        SingleOutputStreamOperator<Void> routed = events.transform(
                        "route " + String.join(", ", source.topics()), Types.VOID, new RouteOperator(sharing, jobId))
                .setParallelism(events.getParallelism())
                .uid("route/" + name);
        long coveredFromMs = coveredFromMs(read, startMs, nowMs);
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
        // Each read commits offsets to a separate group, so that the lag of each can be monitored.
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

    // Keys are selected by lambdas: serialised references to a method that two block types inherit are confused with
    // one another.

    private SingleOutputStreamOperator<OutputItem> withRings(
            FeatureView view, DataStream<ShardBlock> blocks, long coveredFromMs) {
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
                        prepared(new AssembleOperator(view, coveredFromMs, leavesPacked(view), jobId)))
                .uid(id + "/assemble");
    }

    /** Returns whether rows are packed, because no external consumer reads them as numbers. */
    private boolean leavesPacked(FeatureView view) {
        SinkSpec sink = view.sink();
        return !(input instanceof Files) && (sink == null || sink.format() == SinkSpec.Format.PACKED);
    }

    /**
     * Aggregates events of a keyed view that the caller has routed, for sources that already provide columns.
     *
     * @param jobId names the job for live reads
     */
    public static SingleOutputStreamOperator<OutputItem> aggregate(
            FeatureView view, DataStream<KeyedShardBlock> blocks, String jobId) {
        return aggregate(view, blocks, new KeyedOperator(view, Long.MIN_VALUE, jobId, true));
    }

    private static SingleOutputStreamOperator<OutputItem> aggregate(
            FeatureView view, DataStream<KeyedShardBlock> blocks, KeyedOperator operator) {
        String id = view.qualifiedName();
        return blocks.keyBy(block -> block.recordKey(), Types.INT)
                .transform("aggregate " + id, OutputItem.TYPE, operator)
                .uid(id + "/aggregate");
    }

    /** Aggregates a keyed view. Time in files passes as fast as they are read, so they have no early rows and no live reads. */
    private SingleOutputStreamOperator<OutputItem> keyed(
            FeatureView view, DataStream<KeyedShardBlock> blocks, long coveredFromMs) {
        boolean live = input instanceof Topics;
        FeatureView computed = live ? view : view.withoutEarly();
        return aggregate(view, blocks, prepared(new KeyedOperator(computed, coveredFromMs, jobId, live)));
    }

    private <W extends WindowOperator<?, ?>> W prepared(W operator) {
        if (input instanceof Files) {
            operator.keepAfterEndApart();
        }
        return operator;
    }

    /**
     * Adds the sinks. The store comes last: its writer shares the bits encoded for Kafka, and Kafka does not wait for it. It does not get
     * the rows of window ends after the last event of files, so that it answers as of that event.
     */
    private void sink(FeatureView view, SingleOutputStreamOperator<OutputItem> rows) {
        String id = view.qualifiedName();
        sinkOutside(view, rows);
        if (RowTap.isWatched(jobId)) {
            rows.sinkTo(new RowTap(jobId)).name("tap " + id).uid(id + "/tap");
        }
        DataStream<ReadableEnd> readable = null;
        if (storePath != null) {
            readable = rows.transform(
                            "store " + id,
                            ReadableEnd.TYPE,
                            new StoreOperator(view, storePath, deadLettersOfRows(view), clock, jobId))
                    .uid(id + "/store");
        }
        LogTarget log = logs.get(id);
        if (log != null) {
            FeatureLogSink sink = new FeatureLogSink(view, log, jobId);
            sink.addRows(rows);
            sink.addProgress(
                    input instanceof Topics && readable != null
                            ? readable
                            : FeatureLogSink.withoutStore(rows, input instanceof Topics ? clock : null));
        }
    }

    /** Returns the dead letters of rows that the store refuses, which share the destination of the view's bad events. */
    private DeadLetters deadLettersOfRows(FeatureView view) {
        return input instanceof Files
                ? new LocalDeadLetters(jobId)
                : new KafkaDeadLetters(
                        view.deadLetterTopic(), cluster(view.source().kafka()));
    }

    private void sinkOutside(FeatureView view, SingleOutputStreamOperator<OutputItem> rows) {
        String id = view.qualifiedName();
        if (input instanceof Files) {
            local(view, rows, "rows " + id);
            local(view, rows.getSideOutput(WindowOperator.AFTER_END), "rows after the end " + id);
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

    private void local(FeatureView view, DataStream<OutputItem> rows, String name) {
        rows.sinkTo(new LocalRowSink(view, jobId)).name(name).uid(name);
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
        if (input instanceof Files) {
            letters.sinkTo(new LocalDeadLetterSink(jobId))
                    .setParallelism(1)
                    .name("dead letters " + id)
                    .uid(id + "/dead");
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

    /** The files to read; null = topics are read. */
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

    /** Returns the record timestamp to begin at on a first start; see {@link TopicRead}. */
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

    /** Returns the event time from which on this start of the job reads all events, unless a checkpoint overrides it. */
    private long coveredFromMs(SourceNames.Read read, long startMs, long nowMs) {
        if (files() != null) {
            return Long.MIN_VALUE;
        }
        Source source = read.source();
        if (read.resumes() || startMs == Long.MAX_VALUE) {
            return nowMs;
        }
        boolean lookback = source.start().kind() == Source.Start.Kind.LOOKBACK;
        return lookback ? startMs + source.maxOutOfOrderness().millis() : startMs;
    }
}
