package io.thalweg.model.source;

import io.thalweg.model.field.FieldPath;
import io.thalweg.model.yaml.DurationText;
import java.io.Serializable;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Where events come from and how their time is read. Views whose sources are equal share one read.
 *
 * @param kafka the cluster's name in {@code thalweg.yaml}; {@code default} if not specified
 * @param encoding how events are written
 * @param idleAfter how long a partition read to its end may be silent before it no longer holds the watermark back
 */
public record Source(
        List<String> topics,
        String kafka,
        Start start,
        Encoding encoding,
        EventTime eventTime,
        DurationText maxOutOfOrderness,
        DurationText idleAfter,
        DurationText maxFuture)
        implements Serializable {
    public Source {
        topics = List.copyOf(topics);
    }

    /** Creates a source of JSON or CSV. */
    public Source(
            List<String> topics,
            String kafka,
            Start start,
            Format format,
            EventTime eventTime,
            DurationText maxOutOfOrderness,
            DurationText idleAfter,
            DurationText maxFuture,
            Numbers numbers) {
        this(
                topics,
                kafka,
                start,
                new Encoding(format, numbers, null, Compression.NONE),
                eventTime,
                maxOutOfOrderness,
                idleAfter,
                maxFuture);
    }

    /** Creates a source of JSON or CSV with strict numbers. */
    public Source(
            List<String> topics,
            String kafka,
            Start start,
            Format format,
            EventTime eventTime,
            DurationText maxOutOfOrderness,
            DurationText idleAfter,
            DurationText maxFuture) {
        this(topics, kafka, start, format, eventTime, maxOutOfOrderness, idleAfter, maxFuture, Numbers.STRICT);
    }

    /** The format of the events. */
    public Format format() {
        return encoding.format();
    }

    /** Whether events are read with a schema. */
    public boolean hasSchema() {
        return encoding.hasSchema();
    }

    /** Whether text that is a number is read as one. */
    public Numbers numbers() {
        return encoding.numbers();
    }

    /**
     * How events are written.
     *
     * @param numbers whether text that is a number is read as one; CSV, which has only text, ignores it
     * @param schema of events that are read with one; null otherwise
     * @param compression of a record
     */
    public record Encoding(
            Format format, Numbers numbers, @Nullable EventSchema schema, Compression compression)
            implements Serializable {
        /** Whether events are read with a schema. */
        public boolean hasSchema() {
            return schema != null;
        }
    }

    /** Where the first start begins to read; later starts ignore it. {@code at} is set iff kind is TIMESTAMP. */
    public record Start(Kind kind, @Nullable Instant at) implements Serializable {
        /** The ways to begin. */
        public enum Kind {
            LOOKBACK,
            EARLIEST,
            LATEST,
            TIMESTAMP
        }
    }

    /** How an event's bytes are read. */
    public enum Format {
        JSON,
        CSV,
        AVRO,
        THRIFT,
        PROTOBUF;

        /** As in definitions. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Whether events cannot be read without a schema. */
        public boolean needsSchema() {
            return this != JSON && this != CSV;
        }
    }

    /** The values that are accepted as numbers. */
    public enum Numbers {
        /** Numbers only. */
        STRICT,
        /** Also text that is a number, in the form that CSV has. */
        LENIENT
    }

    /**
     * How the event time is read.
     *
     * @param field null = the Kafka record's timestamp (ms)
     * @param unit of numbers; the schema's own if the schema declares timestamps
     * @param zone of timestamps without an offset; null = such timestamps are bad
     */
    public record EventTime(
            @Nullable FieldPath field,
            TimeUnit unit,
            @Nullable ZoneId zone) implements Serializable {
        /** Creates an event time whose text, if it is text, has an offset. */
        public EventTime(@Nullable FieldPath field, TimeUnit unit) {
            this(field, unit, null);
        }

        /** Keeps the text of earlier versions if there is no zone, because the fingerprint of a load is computed from it. */
        @Override
        public String toString() {
            return "EventTime[field=%s, unit=%s%s]".formatted(field, unit, zone == null ? "" : ", zone=" + zone);
        }
    }

    /** The units an event time may be written in. */
    public enum TimeUnit {
        S,
        MS,
        US,
        NS,
        ISO8601
    }

    /**
     * The schema of the messages: that of the subject, otherwise that of the file.
     *
     * @param file absolute; empty = none. With the subject of a source, the schema that {@code generate} registers
     * @param type the schema's type of a message; null = the only one
     * @param protocol of Thrift; {@code BINARY} for other formats
     * @param wire how a message names the schema that it was written with
     * @param subject in a registry; null = none
     */
    public record Schema(
            String file,
            @Nullable String type,
            Protocol protocol,
            Wire wire,
            @Nullable Subject subject) implements Serializable {}

    /**
     * A subject of a schema registry.
     *
     * @param registry its name in {@code thalweg.yaml}
     * @param version 0 = the latest when the job starts
     */
    public record Subject(String registry, String name, int version) implements Serializable {}

    /** The header of a message. */
    public enum Wire {
        PLAIN,
        /** The id of its schema in a registry, as Confluent's serializers write it. */
        CONFLUENT,
        /** The fingerprint of its schema: Avro's single-object encoding. */
        SINGLE_OBJECT
    }

    /** Thrift's protocols. */
    public enum Protocol {
        BINARY,
        COMPACT
    }

    /** The compression of a record. */
    public enum Compression {
        NONE,
        GZIP,
        ZLIB,
        ZSTD,
        LZ4,
        SNAPPY;

        /** As in definitions. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
