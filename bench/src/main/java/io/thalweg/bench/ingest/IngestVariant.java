package io.thalweg.bench.ingest;

import java.util.List;
import java.util.Locale;

/** From which format, out of files or a topic, into which kind of table. */
public enum IngestVariant {
    /** Files of Thrift's binary protocol into Parquet. */
    THRIFT_PARQUET(MessageFormat.THRIFT, false, Target.PARQUET),
    /** Files of lines of JSON into Parquet. */
    JSON_PARQUET(MessageFormat.JSON, false, Target.PARQUET),
    /** Files of plain Avro messages into Parquet. */
    AVRO_PARQUET(MessageFormat.AVRO, false, Target.PARQUET),
    /** A topic of plain Avro messages into an Iceberg table in a folder. */
    KAFKA_ICEBERG(MessageFormat.AVRO, true, Target.ICEBERG);

    /** How messages are encoded. */
    enum MessageFormat {
        THRIFT("schema: {file: rides.thrift, type: Ride}", "rides.bin"),
        AVRO("schema: {file: rides.avsc}", "rides.bin"),
        JSON("schema: {file: rides.json}", "rides.jsonl");

        /** An entry of the definition's source. */
        final String schema;
        /** The name of a file of messages, which says how they are framed. */
        final String file;

        MessageFormat(String schema, String file) {
            this.schema = schema;
            this.file = file;
        }

        /** As in a definition. */
        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What a table is made of. */
    private enum Target {
        PARQUET,
        ICEBERG
    }

    private final MessageFormat format;
    private final boolean fromTopic;
    private final Target target;

    IngestVariant(MessageFormat format, boolean fromTopic, Target target) {
        this.format = format;
        this.fromTopic = fromTopic;
        this.target = target;
    }

    /** The name on the command line and in results. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    MessageFormat format() {
        return format;
    }

    /** Whether messages are read from a topic; otherwise from a file. */
    public boolean fromTopic() {
        return fromTopic;
    }

    /** Whether rows go to an Iceberg table; otherwise to Parquet files in a folder. */
    public boolean intoIceberg() {
        return target == Target.ICEBERG;
    }

    /** The systems that it is compared with, the simplest first. */
    public List<String> rivals() {
        return switch (target) {
            case PARQUET -> List.of("parquet_avro", "parquet_direct", "flink_parquet");
            case ICEBERG -> List.of("flink_iceberg", "flink_iceberg_plain");
        };
    }
}
