package io.thalweg.store.redis;

import io.thalweg.formats.lookup.LookupRows;
import io.thalweg.formats.lookup.LookupSource;
import io.thalweg.formats.lookup.LookupSources;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.field.FieldPath;
import io.thalweg.model.view.Lookup;
import io.thalweg.store.StoreException;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * Lookup tables in Redis, read wherever a job runs.
 *
 * @param servers by the name that definitions use
 */
public record RedisLookups(Map<String, DeploymentConfig.RedisServer> servers) implements LookupSources {
    public RedisLookups {
        servers = Map.copyOf(servers);
    }

    /** {@inheritDoc} Its server must be among {@link #servers}. */
    @Override
    public LookupSource redis(Lookup.Redis table, Lookup lookup) {
        DeploymentConfig.RedisServer server = servers.get(table.server());
        if (server == null) {
            throw new IllegalArgumentException(
                    "lookup table " + table.name() + ": no redis server is named '" + table.server() + "'");
        }
        return new Table(
                server, table, lookup.fields().stream().map(RedisLookups::name).toList());
    }

    private static String name(FieldPath field) {
        return String.join(".", field.segments());
    }

    /** Opens a connection for each read: reads are minutes apart. */
    private record Table(DeploymentConfig.RedisServer server, Lookup.Redis table, List<String> fields)
            implements LookupSource {
        @Override
        public String name() {
            return table.name();
        }

        @Override
        public void read(LookupRows into) throws IOException {
            try (RedisTable rows = RedisTable.open(table.server(), server, table.pattern(), fields)) {
                rows.read(into::add);
            } catch (StoreException e) {
                throw new IOException(e.getMessage(), e);
            }
        }
    }
}
