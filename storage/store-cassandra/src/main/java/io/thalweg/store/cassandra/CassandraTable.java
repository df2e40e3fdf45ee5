package io.thalweg.store.cassandra;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.thalweg.model.view.FeatureView;
import io.thalweg.store.Retention;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.zip.CRC32;

/**
 * A table as this version creates and reads it.
 *
 * @param what the text in its comment after the version
 * @param columns partition key first, then clustering, then the others
 * @param options further CQL after {@code WITH}
 */
record CassandraTable(String name, String what, List<Column> columns, String options) {
    /** The first word of a table's comment, followed by the version of its format. */
    static final String MARK = "thalweg ";

    static final String VERSION = "1";

    private static final String PROGRESS = "thalweg__progress";
    private static final String PLACES = "thalweg__places";
    private static final String ALIASES = "thalweg__aliases";
    private static final int NAME_MAX = 48;
    private static final String HISTORY = "__history";
    /** The number of compaction windows in the life of a row; the files of a window expire whole. */
    private static final int WINDOWS = 24;

    /** The kind of a column, as in {@code system_schema.columns}. */
    enum Kind {
        PARTITION_KEY,
        CLUSTERING,
        REGULAR
    }

    /** A column, and for clustering columns their order, {@code asc} or {@code desc}. */
    record Column(String name, String type, Kind kind, String order) {
        String text() {
            String suffix = order.equals("none") ? "" : " " + order;
            return name + " " + type + " " + kind.name().toLowerCase(Locale.ROOT) + suffix;
        }
    }

    /** Each key's newest row. */
    static CassandraTable newest(FeatureView view) {
        return new CassandraTable(
                newestName(view),
                "newest rows of " + view.qualifiedName(),
                List.of(
                        partition("key", "blob"),
                        clustering("layout", "int", "asc"),
                        clustering("cell", "smallint", "asc"),
                        regular("row", "blob")),
                options(view));
    }

    /** Each key's row of every window end. */
    static CassandraTable history(FeatureView view) {
        return new CassandraTable(
                historyName(view),
                "history of " + view.qualifiedName(),
                List.of(
                        partition("key", "blob"),
                        partition("span", "timestamp"),
                        clustering("layout", "int", "asc"),
                        clustering("window_end", "timestamp", "desc"),
                        clustering("cell", "smallint", "asc"),
                        regular("row", "blob")),
                options(view));
    }

    /** The progress of shards: the greatest generation of a view counts. */
    static CassandraTable progress() {
        return new CassandraTable(
                PROGRESS,
                "progress of views",
                List.of(
                        partition("view_name", "text"),
                        clustering("generation", "int", "desc"),
                        regular("ends", "map<int, timestamp>"),
                        regular("shards", "int")),
                "");
    }

    /** The places that contain rows of views with cells. */
    static CassandraTable places() {
        return new CassandraTable(
                PLACES,
                "places of views",
                List.of(
                        partition("view_name", "text"),
                        clustering("tile", "bigint", "asc"),
                        clustering("place", "blob", "asc"),
                        regular("window_end", "timestamp")),
                "");
    }

    /** The versions to which reads of names resolve. */
    static CassandraTable aliases() {
        return new CassandraTable(
                ALIASES,
                "versions that reads get",
                List.of(partition("name", "text"), regular("view_name", "text")),
                "");
    }

    static String newestName(FeatureView view) {
        return shortened(view.qualifiedName(), NAME_MAX - HISTORY.length());
    }

    static String historyName(FeatureView view) {
        return newestName(view) + HISTORY;
    }

    /** View names have no length limit, and never contain two consecutive underscores. */
    private static String shortened(String name, int most) {
        if (name.length() <= most) {
            return name;
        }
        CRC32 crc = new CRC32();
        crc.update(name.getBytes(UTF_8));
        String tail = "__%08x".formatted(crc.getValue());
        return name.substring(0, most - tail.length()) + tail;
    }

    /** All data in a file of one time window expires together, so the file is dropped, not rewritten. */
    private static String options(FeatureView view) {
        Retention retention = Retention.of(view);
        long keptMs = retention.ttlMs() + Math.max(0, retention.historyMs());
        long minutes = TimeUnit.MILLISECONDS.toMinutes(keptMs) / WINDOWS + 1;
        long keptSeconds = TimeUnit.MILLISECONDS.toSeconds(keptMs);
        // Nothing is ever deleted, so this only sets how long hints for a node that is down are kept.
        long grace = Math.max(TimeUnit.MINUTES.toSeconds(10), Math.min(TimeUnit.HOURS.toSeconds(3), keptSeconds));
        return (" AND compaction = {'class': 'TimeWindowCompactionStrategy', 'compaction_window_unit': 'MINUTES',"
                        + " 'compaction_window_size': %d}"
                        + " AND compression = {'class': 'LZ4Compressor', 'chunk_length_in_kb': 4}"
                        + " AND gc_grace_seconds = %d")
                .formatted(minutes, grace);
    }

    private static Column partition(String name, String type) {
        return new Column(name, type, Kind.PARTITION_KEY, "none");
    }

    private static Column clustering(String name, String type, String order) {
        return new Column(name, type, Kind.CLUSTERING, order);
    }

    private static Column regular(String name, String type) {
        return new Column(name, type, Kind.REGULAR, "none");
    }

    String comment() {
        return MARK + VERSION + ": " + what;
    }

    /** Returns the statement that creates the table. */
    String create(String keyspace) {
        String defined = columns.stream()
                .map(column -> column.name() + " " + column.type())
                .collect(Collectors.joining(", "));
        String clustering = names(Kind.CLUSTERING, false);
        return "CREATE TABLE IF NOT EXISTS \"%s\".\"%s\" (%s, PRIMARY KEY ((%s)%s)) WITH %scomment = '%s'%s"
                .formatted(
                        keyspace,
                        name,
                        defined,
                        names(Kind.PARTITION_KEY, false),
                        clustering.isEmpty() ? "" : ", " + clustering,
                        clustering.isEmpty() ? "" : "CLUSTERING ORDER BY (" + names(Kind.CLUSTERING, true) + ") AND ",
                        comment(),
                        options);
    }

    private String names(Kind kind, boolean ordered) {
        return columns.stream()
                .filter(column -> column.kind() == kind)
                .map(column -> ordered ? column.name() + " " + column.order() : column.name())
                .collect(Collectors.joining(", "));
    }

    /** The columns as text, for comparison and for messages. */
    String text() {
        return columns.stream().map(Column::text).collect(Collectors.joining(", "));
    }
}
