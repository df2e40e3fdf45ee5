package io.thalweg.bench.ingest;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What processor time goes to, by the stacks that a profiler took: the innermost frame that belongs to a stage decides. Compilers and
 * the collector have threads of their own, which are in no stage.
 */
final class StageShares {
    /** What a job does. */
    private enum Stage {
        /** Getting messages, undecoded, from the file or the broker. */
        READ(
                "io/thalweg/jobs/ingest/RecordFile",
                "io/thalweg/jobs/ingest/FramedFile",
                "io/thalweg/jobs/ingest/LineFile",
                "io/thalweg/jobs/kafka/Fetched",
                "io/thalweg/jobs/kafka/KafkaFetcher",
                "io/thalweg/bench/ingest/Frames",
                "org/apache/kafka/",
                "org/apache/flink/connector/kafka/"),
        /** From bytes of a message to what the table's writer takes. */
        TRANSLATE(
                "io/thalweg/jobs/ingest/MessageLoop",
                "io/thalweg/bench/ingest/ThriftRides",
                "io/thalweg/bench/ingest/JsonRides",
                "io/thalweg/bench/ingest/AvroRides",
                "io/thalweg/bench/ingest/Detour",
                "io/thalweg/bench/ingest/BeamRows",
                "io/thalweg/bench/ingest/JsonRows",
                "org/apache/beam/",
                "com/google/cloud/bigquery/storage/v1/JsonToProtoMessage",
                "org/json/",
                "org/apache/flink/formats/avro/"),
        /** Encoding, compressing and writing the table, or sending rows to it, and committing it. */
        WRITE(
                "io/thalweg/tables/",
                "io/thalweg/jobs/table/",
                "io/thalweg/jobs/ingest/ParquetBulk",
                "io/thalweg/bench/ingest/RideFields",
                "org/apache/parquet/",
                "org/apache/iceberg/",
                "io/thalweg/jobs/lane/",
                "io/thalweg/google/",
                "com/google/cloud/bigquery/",
                "io/grpc/",
                "org/apache/flink/connector/file/sink/"),
        /** All else: Flink between the stages, the compilers, the collector. */
        OTHER;

        @SuppressWarnings("ImmutableEnumChecker") // List.of
        private final List<String> frames;

        Stage(String... frames) {
            this.frames = List.of(frames);
        }

        boolean has(String frame) {
            return frames.stream().anyMatch(frame::startsWith);
        }

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private StageShares() {}

    /**
     * Shares of each stage, which sum to 1.
     *
     * @param stacks {@code [thread];frame;frame count} from the outermost frame inwards
     */
    static Map<String, Double> of(List<String> stacks) {
        EnumMap<Stage, Long> samples = new EnumMap<>(Stage.class);
        long all = 0;
        for (String line : stacks) {
            int space = line.lastIndexOf(' ');
            long count = Long.parseLong(line.substring(space + 1));
            all += count;
            samples.merge(stage(line.substring(0, space).split(";", -1)), count, Long::sum);
        }
        Map<String, Double> shares = new LinkedHashMap<>();
        for (Stage stage : Stage.values()) {
            shares.put(stage.text(), all == 0 ? 0 : (double) samples.getOrDefault(stage, 0L) / all);
        }
        return shares;
    }

    private static Stage stage(String[] frames) {
        for (int i = frames.length - 1; i >= 0; i--) {
            Stage stage = of(frames[i]);
            if (stage != null) {
                return stage;
            }
        }
        return Stage.OTHER;
    }

    private static @Nullable Stage of(String frame) {
        for (Stage stage : Stage.values()) {
            if (stage.has(frame)) {
                return stage;
            }
        }
        return null;
    }
}
