package io.thalweg.store.cassandra;

import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.StoreException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The keyspace and its tables. Tables are created when they are first written. They are checked before first use, so that a
 * foreign table is reported and not written. Statements are prepared once.
 *
 * <p><b>Threads.</b> Safe.
 */
final class Schema {
    private final CassandraLink link;
    private final String keyspace;
    private final Map<String, Newest> newest = new ConcurrentHashMap<>();
    private final Map<String, History> history = new ConcurrentHashMap<>();
    private volatile @Nullable Noted places;
    private volatile @Nullable Aliases aliases;

    /** Statements of a table of newest rows. */
    record Newest(PreparedStatement insert, PreparedStatement select, PreparedStatement keys) {}

    /** Statements of a table of history. */
    record History(PreparedStatement insert, PreparedStatement selectAt, PreparedStatement selectUpTo) {}

    /** Statements of the table of places. */
    record Noted(PreparedStatement insert, PreparedStatement select) {}

    /** Statements of the table of aliases. */
    record Aliases(PreparedStatement insert, PreparedStatement select) {}

    /** Statements of the table of progress. */
    record Ends(PreparedStatement claim, PreparedStatement forget, PreparedStatement set, PreparedStatement select) {}

    /**
     * Checks for the keyspace, and creates it if there is none.
     *
     * @throws StoreException if there is none and it may not be created
     */
    Schema(CassandraLink link, DeploymentConfig.Cassandra where) {
        this.link = link;
        this.keyspace = where.keyspace();
        String doing = "looking for keyspace " + keyspace;
        SimpleStatement look = SimpleStatement.newInstance(
                "SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = ?", keyspace);
        if (link.await(link.read(look), doing).one() == null) {
            CassandraLink.Datacenter datacenter = link.datacenter();
            Integer replication = where.replication();
            link.define(
                    "CREATE KEYSPACE IF NOT EXISTS \"%s\" WITH replication = {'class': 'NetworkTopologyStrategy', '%s': %d}"
                            .formatted(
                                    keyspace,
                                    datacenter.name().replace("'", "''"),
                                    replication != null ? replication : Math.min(3, datacenter.nodes())),
                    "creating keyspace " + keyspace);
        }
    }

    /** Returns the statements for the newest rows of a view; null if there is no table yet and none is to be created. */
    @Nullable
    Newest newest(FeatureView view, boolean create) {
        Newest known = newest.get(view.qualifiedName());
        return known != null || !ready(CassandraTable.newest(view), create)
                ? known
                : newest.computeIfAbsent(view.qualifiedName(), name -> prepareNewest(view));
    }

    /** Returns the statements for the history of a view; null if there is no table yet and none is to be created. */
    @Nullable
    History history(FeatureView view, boolean create) {
        History known = history.get(view.qualifiedName());
        return known != null || !ready(CassandraTable.history(view), create)
                ? known
                : history.computeIfAbsent(view.qualifiedName(), name -> prepareHistory(view));
    }

    /** Forgets the tables of a view after a failure that indicates that one was dropped; the next call checks again. */
    void forgetIfDropped(FeatureView view, StoreException failure) {
        if (failure.getCause() instanceof InvalidQueryException) {
            newest.remove(view.qualifiedName());
            history.remove(view.qualifiedName());
        }
    }

    private Newest prepareNewest(FeatureView view) {
        String table = qualified(CassandraTable.newestName(view));
        return new Newest(
                prepare("INSERT INTO " + table
                        + " (key, layout, cell, row) VALUES (?, ?, ?, ?) USING TIMESTAMP ? AND TTL ?"),
                prepare("SELECT cell, row FROM " + table + " WHERE key = ? AND layout = ? AND cell IN ?"),
                prepare("SELECT DISTINCT key FROM " + table));
    }

    private History prepareHistory(FeatureView view) {
        String table = qualified(CassandraTable.historyName(view));
        return new History(
                prepare(
                        "INSERT INTO " + table
                                + " (key, span, layout, window_end, cell, row) VALUES (?, ?, ?, ?, ?, ?) USING TIMESTAMP ? AND TTL ?"),
                prepare("SELECT cell, row FROM " + table
                        + " WHERE key = ? AND span = ? AND layout = ? AND window_end = ? AND cell IN ?"),
                prepare(
                        "SELECT cell, row FROM " + table
                                + " WHERE key = ? AND span = ? AND layout = ? AND window_end <= ? AND window_end >= ? LIMIT 1"));
    }

    /** Creates the table of progress if there is none. */
    Ends progress() {
        boolean unused = ready(CassandraTable.progress(), true);
        String table = qualified(CassandraTable.progress().name());
        return new Ends(
                prepare("INSERT INTO " + table + " (view_name, generation, shards) VALUES (?, ?, ?) IF NOT EXISTS"),
                prepare("DELETE FROM " + table + " WHERE view_name = ? AND generation = ?"),
                prepare("UPDATE " + table
                        + " USING TIMESTAMP ? SET ends[?] = ? WHERE view_name = ? AND generation = ?"),
                prepare("SELECT generation, shards, ends FROM " + table + " WHERE view_name = ? LIMIT 1"));
    }

    /** Returns the statements for the places of views; null if there is no table yet and none is to be created. */
    @Nullable
    Noted places(boolean create) {
        Noted known = places;
        if (known == null && ready(CassandraTable.places(), create)) {
            String table = qualified(CassandraTable.places().name());
            known = new Noted(
                    prepare("INSERT INTO " + table
                            + " (view_name, tile, place, window_end) VALUES (?, ?, ?, ?) USING TIMESTAMP ? AND TTL ?"),
                    prepare("SELECT tile, place, window_end FROM " + table + " WHERE view_name = ?"));
            places = known;
        }
        return known;
    }

    /** Returns the statements for the aliases; null if there is no table yet and none is to be created. */
    @Nullable
    Aliases aliases(boolean create) {
        Aliases known = aliases;
        if (known == null && ready(CassandraTable.aliases(), create)) {
            String table = qualified(CassandraTable.aliases().name());
            known = new Aliases(
                    prepare("INSERT INTO " + table + " (name, view_name) VALUES (?, ?)"),
                    prepare("SELECT view_name FROM " + table + " WHERE name = ?"));
            aliases = known;
        }
        return known;
    }

    private String qualified(String table) {
        return "\"" + keyspace + "\".\"" + table + "\"";
    }

    private PreparedStatement prepare(String cql) {
        return link.await(link.session().prepareAsync(cql), "preparing " + cql);
    }

    /** Whether the table exists and is as expected. */
    private synchronized boolean ready(CassandraTable table, boolean create) {
        if (isThere(table)) {
            return true;
        }
        if (create) {
            link.define(table.create(keyspace), "creating table " + keyspace + "." + table.name());
            return isThere(table);
        }
        return false;
    }

    private boolean isThere(CassandraTable table) {
        Row found = link.await(
                        link.read(SimpleStatement.newInstance(
                                "SELECT comment FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?",
                                keyspace,
                                table.name())),
                        "looking for table " + table.name())
                .one();
        if (found == null) {
            return false;
        }
        requireVersion(table, String.valueOf(found.getString("comment")));
        requireColumns(table);
        return true;
    }

    private void requireVersion(CassandraTable table, String comment) {
        if (!comment.startsWith(CassandraTable.MARK)) {
            throw wrong(table, "was not made by Thalweg (its comment is '" + comment + "')");
        }
        String version = comment.substring(CassandraTable.MARK.length()).replaceFirst(":.*", "");
        if (!version.equals(CassandraTable.VERSION)) {
            throw wrong(table, "has version " + version + ", this version reads " + CassandraTable.VERSION);
        }
    }

    private void requireColumns(CassandraTable table) {
        AsyncResultSet rows = link.await(
                link.read(SimpleStatement.newInstance(
                        "SELECT column_name, type, kind, position, clustering_order FROM system_schema.columns"
                                + " WHERE keyspace_name = ? AND table_name = ?",
                        keyspace,
                        table.name())),
                "looking at table " + table.name());
        List<Row> found = new ArrayList<>();
        rows.currentPage().forEach(found::add);
        String columns = found.stream()
                .sorted(Comparator.comparing(Schema::kind)
                        .thenComparing(row -> row.getInt("position"))
                        .thenComparing(row -> row.getString("column_name")))
                .map(row -> new CassandraTable.Column(
                                row.getString("column_name"),
                                row.getString("type"),
                                kind(row),
                                row.getString("clustering_order"))
                        .text())
                .collect(Collectors.joining(", "));
        if (!columns.equals(table.text())) {
            throw wrong(table, "has the columns " + columns + " instead of " + table.text());
        }
    }

    private static CassandraTable.Kind kind(Row row) {
        String kind = String.valueOf(row.getString("kind")).toUpperCase(Locale.ROOT);
        return kind.equals("STATIC") ? CassandraTable.Kind.REGULAR : CassandraTable.Kind.valueOf(kind);
    }

    private StoreException wrong(CassandraTable table, String what) {
        return new StoreException("table " + keyspace + "." + table.name() + " of the store " + link.place() + " "
                + what + "; drop it and replay, or name another store.keyspace");
    }
}
