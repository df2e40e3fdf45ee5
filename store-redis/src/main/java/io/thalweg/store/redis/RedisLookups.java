package io.thalweg.store.redis;

import io.thalweg.formats.lookup.LookupRows;
import io.thalweg.formats.lookup.LookupSource;
import io.thalweg.formats.lookup.LookupSources;
import io.thalweg.model.FieldPath;
import io.thalweg.model.Lookup;
import io.thalweg.store.StoreException;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;

/**
 * Lookup tables in Redis, wherever a job reads them.
 *
 * @param servers by the name that definitions use, as of {@link RedisTable#open}
 */
public record RedisLookups(Map<String, URI> servers) implements LookupSources {
    public RedisLookups {
        servers = Map.copyOf(servers);
    }

    /** {@inheritDoc} Its server must be among {@link #servers}. */
    @Override
    public LookupSource redis(Lookup.Redis table, Lookup lookup) {
        URI uri = servers.get(table.server());
        if (uri == null) {
            throw new IllegalArgumentException(
                    "lookup table " + table.name() + ": no redis server is named '" + table.server() + "'");
        }
        return new Table(
                uri, table, lookup.fields().stream().map(RedisLookups::name).toList());
    }

    private static String name(FieldPath field) {
        return String.join(".", field.segments());
    }

    /** Opens a connection for each read: there are minutes between them. */
    private record Table(URI uri, Lookup.Redis table, List<String> fields) implements LookupSource {
        @Override
        public String name() {
            return table.name();
        }

        @Override
        public void read(LookupRows into) throws IOException {
            try (RedisTable rows = RedisTable.open(table.server(), uri, table.pattern(), fields)) {
                rows.read(into::add);
            } catch (StoreException e) {
                throw new IOException(e.getMessage(), e);
            }
        }
    }
}
