package io.thalweg.bench.ingest;

import java.util.List;
import java.util.Locale;

/** From which format, out of files or a topic, into which kind of table, or into a topic. */
public enum IngestVariant {
    /** Files of Thrift's binary protocol into Parquet. */
    THRIFT_PARQUET(MessageFormat.THRIFT, false, Target.PARQUET),
    /** A topic of plain Avro messages into an Iceberg table in a folder. */
    KAFKA_ICEBERG(MessageFormat.AVRO, true, Target.ICEBERG),
    /** A topic of Thrift's binary protocol into a topic of plain Avro messages. */
    AVRO_TOPIC(MessageFormat.THRIFT, true, Target.TOPIC),
    /** A topic of Thrift into BigQuery: {@code insertAll} by 50 writers. */
    RUN_1(MessageFormat.THRIFT, "write: insert_all, writers: 50", false),
    /** The same by 512 writers. */
    RUN_2(MessageFormat.THRIFT, "write: insert_all, writers: 512", false),
    /** The same by as many writers as the load needs. */
    RUN_3(MessageFormat.THRIFT, "write: insert_all", false),
    /** A topic of Thrift into BigQuery: buffered streams, committed every 10 s. */
    RUN_4(MessageFormat.THRIFT, "delivery: exactly_once, every: 10s", false),
    /** The same, committed every second. */
    RUN_5(MessageFormat.THRIFT, "delivery: exactly_once, every: 1s", false),
    /** The same, committed every second; published with rows in Avro. */
    RUN_6(MessageFormat.THRIFT, "delivery: exactly_once, every: 1s", true),
    /** A topic of Thrift into BigQuery: the default stream, at least once; published with rows in Avro. */
    RUN_7(MessageFormat.THRIFT, "delivery: at_least_once", true),
    /** A topic of JSON into BigQuery: the default stream, at least once. */
    JSON_STORAGE(MessageFormat.JSON, "delivery: at_least_once", false);

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

    /** What rows become. */
    enum Target {
        /** Files in a folder. */
        PARQUET,
        /** A table in a folder. */
        ICEBERG,
        /** Messages of Avro in another topic of the same broker. */
        TOPIC,
        BIGQUERY
    }

    final MessageFormat format;
    /** Whether messages are read from a topic; otherwise from a file. */
    final boolean fromTopic;

    final Target target;
    /** Entries of the sink in the definition beside the table; of BigQuery. */
    final String sink;

    private final boolean publishedInAvro;

    IngestVariant(MessageFormat format, boolean fromTopic, Target target) {
        this(format, fromTopic, target, "", false);
    }

    /** Out of a topic into BigQuery. */
    IngestVariant(MessageFormat format, String sink, boolean publishedInAvro) {
        this(format, true, Target.BIGQUERY, sink, publishedInAvro);
    }

    IngestVariant(MessageFormat format, boolean fromTopic, Target target, String sink, boolean publishedInAvro) {
        this.format = format;
        this.fromTopic = fromTopic;
        this.target = target;
        this.sink = sink;
        this.publishedInAvro = publishedInAvro;
    }

    /** The name in results. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The name on the command line; of a published run its number. */
    @Override
    public String toString() {
        return text().replace("run_", "");
    }

    /** Whether rows go to BigQuery, in these runs a fake of it. */
    public boolean intoBigQuery() {
        return target == Target.BIGQUERY;
    }

    /** The systems that it is compared with, the simplest first. */
    public List<String> rivals() {
        return switch (target) {
            case PARQUET -> List.of("parquet_avro", "parquet_direct", "flink_parquet");
            case ICEBERG -> List.of("flink_iceberg", "flink_iceberg_plain");
            case TOPIC -> List.of("topic_program", "flink_topic");
            case BIGQUERY -> {
                if (sink.contains("insert_all")) {
                    yield List.of(); // the rivals write to streams only
                }
                yield publishedInAvro
                        ? List.of(AvroDetour.SYSTEM, "generic_record", "json_writer")
                        : List.of("generic_record", "json_writer");
            }
        };
    }
}
