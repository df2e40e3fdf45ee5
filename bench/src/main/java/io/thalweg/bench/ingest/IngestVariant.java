package io.thalweg.bench.ingest;

import java.util.List;
import java.util.Locale;

/** A conversion: a format, in files or a topic, into a kind of table or into a topic. */
public enum IngestVariant {
    /** Files of Thrift's binary protocol into Parquet. */
    THRIFT_PARQUET(MessageFormat.THRIFT, false, Target.PARQUET),
    /** A topic of plain Avro messages into an Iceberg table in a folder. */
    KAFKA_ICEBERG(MessageFormat.AVRO, true, Target.ICEBERG),
    /** A topic of Thrift's binary protocol into a topic of plain Avro messages. */
    AVRO_TOPIC(MessageFormat.THRIFT, true, Target.TOPIC),
    /** A topic of Thrift into BigQuery: {@code insertAll} by 50 writers. */
    RUN_1(MessageFormat.THRIFT, "write: insert_all, writers: 50", false),
    /** Like RUN_1, with 512 writers. */
    RUN_2(MessageFormat.THRIFT, "write: insert_all, writers: 512", false),
    /** Like RUN_1, with as many writers as the load needs. */
    RUN_3(MessageFormat.THRIFT, "write: insert_all", false),
    /** A topic of Thrift into BigQuery: buffered streams, committed every 10 s. */
    RUN_4(MessageFormat.THRIFT, "delivery: exactly_once, every: 10s", false),
    /** Like RUN_4, committed every second. */
    RUN_5(MessageFormat.THRIFT, "delivery: exactly_once, every: 1s", false),
    /** Like RUN_5; published with rows in Avro. */
    RUN_6(MessageFormat.THRIFT, "delivery: exactly_once, every: 1s", true),
    /** A topic of Thrift into BigQuery: the default stream, at least once; published with rows in Avro. */
    RUN_7(MessageFormat.THRIFT, "delivery: at_least_once", true),
    /** A topic of JSON into BigQuery: the default stream, at least once. */
    JSON_STORAGE(MessageFormat.JSON, "delivery: at_least_once", false);

    /** The encoding of messages. */
    enum MessageFormat {
        THRIFT("schema: {file: rides.thrift, type: Ride}", "rides.bin"),
        AVRO("schema: {file: rides.avsc}", "rides.bin"),
        JSON("schema: {file: rides.json}", "rides.jsonl");

        /** An entry of the definition's source. */
        final String schema;
        /** The name of a file of messages, which determines their framing. */
        final String file;

        MessageFormat(String schema, String file) {
            this.schema = schema;
            this.file = file;
        }

        /** The name as in a definition. */
        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The destination of rows. */
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
    /** Whether messages are read from a topic or from a file. */
    final boolean fromTopic;

    final Target target;
    /** For BigQuery, entries of the sink in the definition besides the table. */
    final String sink;

    private final boolean publishedInAvro;

    IngestVariant(MessageFormat format, boolean fromTopic, Target target) {
        this(format, fromTopic, target, "", false);
    }

    /** Creates a variant from a topic into BigQuery. */
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

    /** Returns the name on the command line; for a published run its number. */
    @Override
    public String toString() {
        return text().replace("run_", "");
    }

    /** Whether rows are written to BigQuery, of which these runs use a fake. */
    public boolean intoBigQuery() {
        return target == Target.BIGQUERY;
    }

    /** Returns the systems that it is compared with, the simplest first. */
    public List<String> rivals() {
        return switch (target) {
            case PARQUET -> List.of("parquet_avro", "parquet_direct", "flink_parquet");
            case ICEBERG -> List.of("flink_iceberg", "flink_iceberg_plain");
            case TOPIC -> List.of("topic_program", "flink_topic");
            case BIGQUERY -> {
                if (sink.contains("insert_all")) {
                    yield List.of(); // the rivals write only to streams
                }
                yield publishedInAvro
                        ? List.of(AvroDetour.SYSTEM, "generic_record", "json_writer")
                        : List.of("generic_record", "json_writer");
            }
        };
    }
}
