package io.thalweg.jobs.ingest;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.jobs.block.BlockType;
import io.thalweg.jobs.block.Chained;
import io.thalweg.jobs.ingest.deadletters.SavedDeadLetter;
import io.thalweg.jobs.ingest.file.IngestFile;
import io.thalweg.jobs.ingest.file.RecordFileSource;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.jobs.kafka.RawBlockSource;
import io.thalweg.jobs.kafka.TopicRead;
import io.thalweg.jobs.pubsub.PubSubSource;
import io.thalweg.jobs.pubsub.RepeatedMessages;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.warehouse.PullAddress;
import java.time.Duration;
import java.util.List;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/** The input of a job's records. A job that resumes takes the position in each file or partition from its checkpoint. */
public sealed interface RecordInput {
    /** The type of records passed between chained operators. */
    BlockType<RawRecords> TYPE = Chained.type(RawRecords.class);

    /** Adds the source of a job to an environment. */
    SingleOutputStreamOperator<RawRecords> addTo(StreamExecutionEnvironment environment, Ingest ingest, String jobId);

    /** Reads files from beginning to end. */
    record OfFiles(List<IngestFile> files) implements RecordInput {
        public OfFiles {
            files = List.copyOf(files);
        }

        @Override
        public SingleOutputStreamOperator<RawRecords> addTo(
                StreamExecutionEnvironment environment, Ingest ingest, String jobId) {
            return environment
                    .fromSource(
                            new RecordFileSource(
                                    files.stream().map(IngestFile::beginning).toList(),
                                    IngestPlan.limits(ingest),
                                    jobId),
                            WatermarkStrategy.noWatermarks(),
                            "read files",
                            TYPE)
                    .uid(ingest.qualifiedName() + "/files");
        }
    }

    /** Whether the records are dead letters whose messages are retried, instead of messages. */
    default boolean isLetters() {
        return false;
    }

    /** Reads dead letters, one per line, from a file. */
    record OfDeadLetters(IngestFile file) implements RecordInput {
        @Override
        public SingleOutputStreamOperator<RawRecords> addTo(
                StreamExecutionEnvironment environment, Ingest ingest, String jobId) {
            return environment
                    .fromSource(
                            new RecordFileSource(List.of(file.beginning()), SavedDeadLetter.LIMITS, jobId),
                            WatermarkStrategy.noWatermarks(),
                            "read letters",
                            TYPE)
                    .uid(ingest.qualifiedName() + "/letters");
        }

        @Override
        public boolean isLetters() {
            return true;
        }
    }

    /**
     * Reads a topic.
     *
     * @param cluster its name in the deployment; a topic of another cluster is another source with its own positions
     * @param read the read of this single topic
     * @param skipsLost whether to count records that Kafka deleted before they were read; otherwise they fail the job without a restart
     */
    record OfTopic(String cluster, TopicRead read, boolean skipsLost) implements RecordInput {
        private static final int BLOCK_RECORDS = 1_024;
        /** Smaller, because a function may be slow and a checkpoint must not wait for many calls. */
        private static final int BLOCK_CALLS = 16;

        @Override
        public SingleOutputStreamOperator<RawRecords> addTo(
                StreamExecutionEnvironment environment, Ingest ingest, String jobId) {
            String topic = read.topics().get(0);
            return environment
                    .fromSource(
                            new RawBlockSource(
                                    read,
                                    ingest.input().envelope().codecHeader(),
                                    ingest.transform() == null ? BLOCK_RECORDS : BLOCK_CALLS,
                                    skipsLost),
                            WatermarkStrategy.noWatermarks(),
                            "read " + topic,
                            TYPE)
                    .uid(ingest.qualifiedName() + "/topic/" + cluster + "/" + topic);
        }
    }

    /**
     * Reads a subscription.
     *
     * @param streams the total number of streams; each subtask has at least one
     * @param dedup how long redelivered messages are dropped; null = never
     */
    record OfSubscription(
            PullAddress subscription, int streams, @Nullable Duration dedup) implements RecordInput {
        @Override
        public SingleOutputStreamOperator<RawRecords> addTo(
                StreamExecutionEnvironment environment, Ingest ingest, String jobId) {
            String uid = uid(ingest.qualifiedName(), subscription.name());
            SingleOutputStreamOperator<RawRecords> records = environment
                    .fromSource(
                            new PubSubSource(subscription, streams, jobId, ingest.qualifiedName()),
                            WatermarkStrategy.noWatermarks(),
                            "read " + subscription.name(),
                            TYPE)
                    .uid(uid);
            return dedup == null
                    ? records
                    : RepeatedMessages.dropFrom(records, dedup, jobId, ingest.qualifiedName(), TYPE, uid);
        }

        static String uid(String ingest, String subscription) {
            return ingest + "/pubsub/" + subscription;
        }
    }
}
