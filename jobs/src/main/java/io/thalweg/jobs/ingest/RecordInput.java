package io.thalweg.jobs.ingest;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.jobs.block.BlockType;
import io.thalweg.jobs.block.Chained;
import io.thalweg.jobs.kafka.RawBlockSource;
import io.thalweg.jobs.kafka.TopicRead;
import io.thalweg.jobs.pubsub.PubSubSource;
import io.thalweg.jobs.pubsub.RepeatedMessages;
import io.thalweg.model.Ingest;
import io.thalweg.warehouse.PullAddress;
import java.time.Duration;
import java.util.List;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/** Where a job's records come from, unless it resumes: then its checkpoint says how far each file or partition was read. */
public sealed interface RecordInput {
    /** Records that pass from operator to operator within a task. */
    BlockType<RawRecords> TYPE = Chained.type(RawRecords.class);

    /** Adds the source of a job to an environment. */
    SingleOutputStreamOperator<RawRecords> addTo(StreamExecutionEnvironment environment, Ingest ingest, String jobId);

    /** Files, from beginning to end. */
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

    /** What the records are: messages, or dead letters whose messages are tried once more. */
    default boolean isLetters() {
        return false;
    }

    /** Dead letters as lines of a file. */
    record OfLetters(IngestFile file) implements RecordInput {
        @Override
        public SingleOutputStreamOperator<RawRecords> addTo(
                StreamExecutionEnvironment environment, Ingest ingest, String jobId) {
            return environment
                    .fromSource(
                            new RecordFileSource(List.of(file.beginning()), SavedLetter.LIMITS, jobId),
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
     * A topic.
     *
     * @param cluster its name in the deployment; a topic of another cluster is another source, with positions of its own
     * @param read of the one topic
     * @param skipsLost whether records that Kafka deleted before they were read are counted; otherwise the job fails for good
     */
    record OfTopic(String cluster, TopicRead read, boolean skipsLost) implements RecordInput {
        private static final int BLOCK_RECORDS = 1_024;
        /** A function may take long for a message, and a checkpoint must not wait for many. */
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
     * A subscription.
     *
     * @param streams in total; each subtask has at least one
     * @param dedup for how long a message that is delivered again is dropped; null = it is not
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
