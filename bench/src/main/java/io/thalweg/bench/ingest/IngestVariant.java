package io.thalweg.bench.ingest;

import java.util.List;
import java.util.Locale;

/** A conversion: a format, in files or a topic, into a kind of table. */
public enum IngestVariant {
    /** Files of Thrift's binary protocol into Parquet. */
    THRIFT_PARQUET(MessageFormat.THRIFT, false, Target.PARQUET, ""),
    /** A topic of plain Avro messages into an Iceberg table in a folder. */
    KAFKA_ICEBERG(MessageFormat.AVRO, true, Target.ICEBERG, ""),
    /** A topic of Thrift into BigQuery: {@code insertAll} by 50 writers. */
    RUN_1("write: insert_all, writers: 50"),
    /** Like RUN_1, with 512 writers. */
    RUN_2("write: insert_all, writers: 512"),
    /** Like RUN_1, with as many writers as the load needs. */
    RUN_3("write: insert_all"),
    /** A topic of Thrift into BigQuery: buffered streams, committed every 10 s. */
    RUN_4("delivery: exactly_once, every: 10s"),
    /** Like RUN_4, committed every second. */
    RUN_5("delivery: exactly_once, every: 1s"),
    /** A topic of Thrift into BigQuery: the default stream, at least once. */
    RUN_7("delivery: at_least_once");

    /** The encoding of messages. */
    enum MessageFormat {
        THRIFT("schema: {file: rides.thrift, type: Ride}"),
        AVRO("schema: {file: rides.avsc}");

        /** An entry of the definition's source. */
        final String schema;

        MessageFormat(String schema) {
            this.schema = schema;
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
        BIGQUERY
    }

    final MessageFormat format;
    /** Whether messages are read from a topic or from a file. */
    final boolean fromTopic;

    final Target target;
    /** For BigQuery, entries of the sink in the definition besides the table. */
    final String sink;

    /** Creates a variant from a topic of Thrift into BigQuery. */
    IngestVariant(String sink) {
        this(MessageFormat.THRIFT, true, Target.BIGQUERY, sink);
    }

    IngestVariant(MessageFormat format, boolean fromTopic, Target target, String sink) {
        this.format = format;
        this.fromTopic = fromTopic;
        this.target = target;
        this.sink = sink;
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
            case BIGQUERY -> List.of();
        };
    }
}
