package io.thalweg.model.ingest;

import io.thalweg.model.ingest.Ingest.BigQuerySink;
import io.thalweg.model.yaml.YamlMap;
import io.thalweg.model.yaml.YamlValue;
import java.util.List;

/** Reads the sink of an ingest that is a table of BigQuery. */
final class BigQuerySinkReader {
    /** Keys that other sinks do not have. */
    static final List<String> KEYS = List.of("linger", "writers", "max_writers", "write");

    /** Keys of sinks that write files. */
    static final List<String> KEYS_OF_FILES = List.of(
            "catalog",
            "keep_snapshots",
            "max_snapshots",
            "target_file",
            "compression",
            "partition_by",
            "compact",
            "schema_change");

    private static final int MOST_WRITERS = 1_000;
    private static final int STANDARD_MOST = 64;
    private static final String AUTO = "auto";

    private BigQuerySinkReader() {}

    static BigQuerySink read(YamlMap sink) {
        for (String key : KEYS_OF_FILES) {
            sink.refused(key, "does not go with bigquery; remove it");
        }
        boolean exactlyOnce = IngestReader.isExactlyOnce(sink);
        boolean insertAll =
                sink.optional("write").map(value -> value.oneOf(Write.class)).orElse(Write.STORAGE) == Write.INSERT_ALL;
        if (insertAll && exactlyOnce) {
            sink.key("write").problem("insert_all does not go with delivery: exactly_once; remove one of them");
        }
        int writers = sink.optional("writers").map(BigQuerySinkReader::writers).orElse(0);
        if (writers > 0 && sink.has("max_writers")) {
            sink.key("max_writers").problem("goes with writers: auto only, was " + writers);
        }
        return new BigQuerySink(
                sink.optional("bigquery").map(BigQuerySinkReader::table).orElse("?"),
                exactlyOnce,
                insertAll,
                IngestReader.every(sink, "10s"),
                IngestReader.linger(sink),
                writers,
                sink.optional("max_writers")
                        .map(value -> value.integer(1, MOST_WRITERS))
                        .orElse(STANDARD_MOST));
    }

    private enum Write {
        STORAGE,
        INSERT_ALL
    }

    private static int writers(YamlValue value) {
        return value.isText() && value.text().equals(AUTO) ? 0 : value.integer(1, MOST_WRITERS);
    }

    private static String table(YamlValue value) {
        String table = value.isText() ? value.text() : "";
        if (!table.matches("[a-z][a-z0-9-]{4,28}[a-z0-9]\\.[A-Za-z0-9_]{1,1024}\\.[A-Za-z0-9_-]{1,1024}")) {
            value.wrong("project.dataset.table, such as my-project.rides.events");
            return "?";
        }
        return table;
    }
}
