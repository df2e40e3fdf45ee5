package io.thalweg.model.ingest;

import io.thalweg.model.field.Condition;
import io.thalweg.model.field.FieldPath;
import io.thalweg.model.source.Source;
import io.thalweg.model.yaml.DurationText;
import java.io.Serializable;
import java.math.BigDecimal;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Raw events on their way to a table or a topic: where they come from, how they are read, which of them and which of their fields are kept,
 * and where the rows go.
 *
 * @param version must change with the meaning; see {@link #qualifiedName()}
 * @param where an event must meet all of these conditions to be kept
 * @param columns the fields that are kept of an event, in order; without a function they are those of the table
 * @param excluded fields that are left out of the columns, also within structs, lists and maps
 * @param transform turns each event into rows; null = it becomes one row
 * @param rows options of rows that apply to every sink
 * @param deadLetters where bad events go
 * @param maxBad how many bad events end the job; null = none do
 * @param failOnBadEvent whether the first bad event ends the job
 * @param generate how messages are generated for tests
 */
public record Ingest(
        String name,
        int version,
        String description,
        Input input,
        List<Condition> where,
        List<Column> columns,
        List<FieldPath> excluded,
        @Nullable Transform transform,
        Sink sink,
        RowOptions rows,
        DeadLetters deadLetters,
        @Nullable MaxBad maxBad,
        boolean failOnBadEvent,
        Generate generate)
        implements Serializable {
    public Ingest {
        where = List.copyOf(where);
        columns = List.copyOf(columns);
        excluded = List.copyOf(excluded);
    }

    /** The name of state, files and metrics: {@code name}, from version 2 on {@code name_vN}. */
    public String qualifiedName() {
        return version == 1 ? name : name + "_v" + version;
    }

    /** Returns the same ingest without a transform. */
    public Ingest withoutTransform() {
        return new Ingest(
                name,
                version,
                description,
                input,
                where,
                columns,
                excluded,
                null,
                sink,
                rows,
                deadLetters,
                maxBad,
                failOnBadEvent,
                generate);
    }

    /** Returns the same ingest with another sink. */
    public Ingest withSink(Sink to, RowOptions options) {
        return new Ingest(
                name,
                version,
                description,
                input,
                where,
                columns,
                excluded,
                transform,
                to,
                options,
                deadLetters,
                maxBad,
                failOnBadEvent,
                generate);
    }

    /** Returns the same ingest with events from another place. */
    public Ingest withFrom(From from) {
        return new Ingest(
                name,
                version,
                description,
                new Input(from, input.framing, input.format, input.schema, input.envelope, input.limits),
                where,
                columns,
                excluded,
                transform,
                sink,
                rows,
                deadLetters,
                maxBad,
                failOnBadEvent,
                generate);
    }

    /**
     * Where events come from and how they are read.
     *
     * @param from what is read if the command names no files
     * @param framing of files; null = by their extension
     */
    public record Input(
            From from, @Nullable Framing framing, Format format, Source.Schema schema, Envelope envelope, Limits limits)
            implements Serializable {}

    /**
     * How messages are packed into a record.
     *
     * @param compression of a record that does not name its own
     * @param codecHeader the header in which a record names its compression; null = records do not
     */
    public record Envelope(
            Source.Compression compression, @Nullable String codecHeader, Messages messages) implements Serializable {
        /** A record is a message. */
        public static final Envelope NONE = new Envelope(Source.Compression.NONE, null, Messages.ONE);

        /** The compression, for display. */
        public String compressionText() {
            return codecHeader == null ? compression.text() : "named by header " + codecHeader;
        }
    }

    /** A topic, a subscription or files. */
    public sealed interface From extends Serializable {
        /** A description for display. */
        String text();
    }

    /**
     * A topic.
     *
     * @param kafka its cluster in {@code thalweg.yaml}
     * @param start applies to the first start only
     * @param onLost what happens if Kafka has deleted records before they were read
     */
    public record Topic(String topic, String kafka, Source.Start start, OnLost onLost) implements From {
        @Override
        public String text() {
            return "topic " + topic;
        }

        /** Returns the timestamp, epoch ms, of the records that the first start begins with; 0 = the earliest record. */
        public long firstMs(long nowMs) {
            return switch (start.kind()) {
                case LATEST -> nowMs;
                case TIMESTAMP -> Objects.requireNonNull(start.at()).toEpochMilli();
                case EARLIEST, LOOKBACK -> 0;
            };
        }
    }

    /**
     * A subscription of Pub/Sub.
     *
     * @param subscription {@code projects/P/subscriptions/S}
     * @param topic of the subscription, {@code projects/P/topics/T}: where generated messages are published
     * @param dedup how long redelivered messages are dropped, by their ids; null = they are not
     * @param streams in total; each subtask has at least one
     */
    public record PubSub(
            String subscription, String topic, @Nullable DurationText dedup, int streams) implements From {
        @Override
        public String text() {
            return "subscription " + subscription;
        }
    }

    /** What happens if Kafka has deleted records before they were read. */
    public enum OnLost {
        /** The job fails for good. */
        FAIL,
        /** They are counted and reported, and the job continues after them. */
        SKIP
    }

    /** Files: a path, or one whose last name contains {@code *}; absolute. */
    public record Files(String path) implements From {
        @Override
        public String text() {
            return "files " + path;
        }
    }

    /** How the records of a file are separated. */
    public enum Framing {
        /** A record per line. */
        LINES,
        /** Each record follows its length: four bytes, big-endian. */
        LENGTH_PREFIXED,
        /** Avro's object container file, which has its own schema. */
        AVRO_CONTAINER;

        private static final Pattern LINE_FILES = Pattern.compile(".*\\.(jsonl|ndjson|json|txt)");

        /** Returns the framing that the name of a file implies. */
        public static Framing ofName(String file) {
            String name = file.toLowerCase(Locale.ROOT).replaceFirst("\\.gz$", "");
            if (LINE_FILES.matcher(name).matches()) {
                return LINES;
            }
            return name.endsWith(".avro") ? AVRO_CONTAINER : LENGTH_PREFIXED;
        }

        /** As in definitions. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The format of a message. */
    public enum Format {
        THRIFT,
        AVRO,
        JSON,
        PROTOBUF;

        /** As in definitions. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The messages in a record. */
    public enum Messages {
        /** The record is the message. */
        ONE,
        /** Each message follows its length: four bytes, big-endian. */
        LENGTH_PREFIXED,
        /** A message per line. */
        LINES,
        /** An Avro object container file. */
        AVRO_CONTAINER,
        /** A Thrift list of structs. */
        THRIFT_LIST
    }

    /**
     * Bounds of the cost of one message.
     *
     * @param message bytes of a record
     * @param inflated bytes of a decompressed record
     * @param ratio decompressed bytes per compressed byte
     * @param depth levels of nesting
     */
    public record Limits(int message, int inflated, int ratio, int depth) implements Serializable {}

    /**
     * A field that is kept, as a column.
     *
     * @param name empty for all fields of the event, under their names
     * @param path of the field; null for all
     */
    public record Column(String name, @Nullable FieldPath path) implements Serializable {}

    /**
     * A user function between source and table.
     *
     * @param className of its class
     * @param jars the class and its dependencies: jars, or folders of classes; absolute
     * @param config passed to the function when it is opened, in the order of the definition
     * @param timeout how long a call may take
     */
    public record Transform(String className, List<String> jars, Map<String, String> config, DurationText timeout)
            implements Serializable {
        public Transform {
            jars = List.copyOf(jars);
            config = Collections.unmodifiableMap(new LinkedHashMap<>(config));
        }

        /** The class and its jars, for display. */
        public String text() {
            return className + " of " + String.join(", ", jars);
        }
    }

    /**
     * Options of rows that apply to every sink.
     *
     * @param origin whether a column holds where the message of a row comes from
     * @param refuseUnknownFields whether a message with fields that the schema does not have is bad; otherwise they are dropped
     */
    public record RowOptions(boolean origin, boolean refuseUnknownFields) implements Serializable {}

    /** Where rows go. */
    public sealed interface Sink extends Serializable {
        /** How often rows are made visible: the interval of checkpoints. */
        DurationText every();

        /** The partitioning of the table's files; empty = none. */
        default List<PartitionBy> partitions() {
            return List.of();
        }

        /** The kind and the location, for display. */
        String text();
    }

    /**
     * The files of a table.
     *
     * @param targetFile bytes at which a file is completed before its checkpoint
     * @param partitions rows with different values of these are in different files; empty = one partition
     */
    public record TableFiles(long targetFile, FileCompression compression, List<PartitionBy> partitions)
            implements Serializable {
        public TableFiles {
            partitions = List.copyOf(partitions);
        }
    }

    /**
     * What a table is partitioned by.
     *
     * @param buckets of {@code BUCKET}; 0 otherwise
     * @param column of the table
     */
    public record PartitionBy(PartitionKind kind, int buckets, FieldPath column) implements Serializable {}

    /** How a column partitions a table. */
    public enum PartitionKind {
        VALUE,
        YEAR,
        MONTH,
        DAY,
        HOUR,
        /** A hash of the value, from 0 to a number of buckets. */
        BUCKET;

        /** As in definitions. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Parquet files in a folder.
     *
     * @param folder a path, absolute, or a URI of one of Flink's file systems
     * @param every how often files are completed
     */
    public record ParquetSink(String folder, DurationText every, TableFiles files) implements Sink {
        @Override
        public List<PartitionBy> partitions() {
            return files.partitions();
        }

        @Override
        public String text() {
            return "parquet " + folder;
        }
    }

    /**
     * An Iceberg table, which is created if it is missing.
     *
     * @param table {@code namespace.table}
     * @param catalog its name in {@code thalweg.yaml}
     * @param every how often rows are committed
     * @param keepSnapshots how long snapshots are kept that are no longer current
     * @param maxSnapshots how many snapshots are kept at most, because each commit reads and writes the list of all
     * @param compact how small files are rewritten; null = they are not
     * @param addsColumns whether an existing table gets the columns that it lacks; otherwise the job does not start
     */
    public record IcebergSink(
            String table,
            String catalog,
            DurationText every,
            TableFiles files,
            DurationText keepSnapshots,
            int maxSnapshots,
            @Nullable Compact compact,
            boolean addsColumns)
            implements Sink {
        @Override
        public List<PartitionBy> partitions() {
            return files.partitions();
        }

        @Override
        public String text() {
            return "iceberg " + table;
        }
    }

    /** What happens to fields that the schema does not have. */
    public enum UnknownFields {
        DROP,
        DEAD_LETTER
    }

    /** What happens to an existing table that lacks columns. */
    public enum SchemaChange {
        REFUSE,
        ADD_COLUMNS
    }

    /**
     * Rewrites small data files into larger ones.
     *
     * @param below files smaller than this are rewritten; bytes
     * @param every from the end of one pass over the table to the next one
     */
    public record Compact(long below, DurationText every) implements Serializable {}

    /**
     * A table of BigQuery.
     *
     * @param table {@code project.dataset.table}
     * @param exactlyOnce whether each row is written exactly once, and visible with a checkpoint; otherwise rows are visible at
     *     once
     * @param insertAll whether rows are written by the older API {@code tabledata.insertAll}; otherwise by the Storage Write API
     * @param every the interval of checkpoints
     * @param linger how long rows wait to be sent in a batch
     * @param writers streams in total; 0 = as many as the load needs
     * @param maxWriters maximum number of streams if it is not fixed
     */
    public record BigQuerySink(
            String table,
            boolean exactlyOnce,
            boolean insertAll,
            DurationText every,
            DurationText linger,
            int writers,
            int maxWriters)
            implements Sink {
        @Override
        public String text() {
            return "bigquery " + table;
        }
    }

    /**
     * A topic: each row is a message.
     *
     * @param kafka the topic's cluster in {@code thalweg.yaml}
     * @param schema of the messages; null, or without a file = derived from the columns
     * @param exactlyOnce whether rows are committed with a checkpoint; otherwise they are visible at once
     * @param every the interval of checkpoints
     * @param linger how long rows wait to be sent in a batch
     */
    public record TopicSink(
            String topic,
            String kafka,
            Format format,
            Source.@Nullable Schema schema,
            boolean exactlyOnce,
            DurationText every,
            DurationText linger)
            implements Sink {
        @Override
        public String text() {
            return "topic " + topic;
        }
    }

    /**
     * The share of bad events, per subtask, that ends the job.
     *
     * @param share of the events within a span of time, 0 to 1
     * @param within the span
     * @param ofAtLeast events in the span before the share counts
     */
    public record MaxBad(double share, DurationText within, long ofAtLeast) implements Serializable {
        /** As in definitions. */
        public String shareText() {
            return BigDecimal.valueOf(share)
                            .movePointRight(2)
                            .stripTrailingZeros()
                            .toPlainString() + "%";
        }
    }

    /**
     * Where bad events go.
     *
     * @param file for those of files and subscriptions: absolute, or the default, relative to the working directory of
     *     the command
     * @param topic for those of a topic, in the same cluster
     */
    public record DeadLetters(String file, String topic) implements Serializable {}

    /** The compression within files. */
    public enum FileCompression {
        NONE,
        SNAPPY,
        ZSTD;

        /** As in definitions. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
