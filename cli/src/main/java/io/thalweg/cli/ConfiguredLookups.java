package io.thalweg.cli;

import io.thalweg.formats.LookupRows;
import io.thalweg.formats.LookupSource;
import io.thalweg.formats.LookupSources;
import io.thalweg.formats.LookupTables;
import io.thalweg.model.FeatureView;
import io.thalweg.model.FieldPath;
import io.thalweg.model.Lookup;
import io.thalweg.model.Nearest;
import io.thalweg.model.Surroundings;
import io.thalweg.store.StoreException;
import io.thalweg.store.redis.RedisTable;
import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * The lookup tables that views name: files, and what the Redis servers of {@code thalweg.yaml} hold.
 *
 * @param servers by the name that definitions use
 */
public record ConfiguredLookups(Map<String, URI> servers) implements LookupSources {
    public ConfiguredLookups {
        servers = Map.copyOf(servers);
    }

    /** Those that {@code thalweg.yaml} knows. */
    public static ConfiguredLookups of(Surroundings surroundings) {
        return new ConfiguredLookups(surroundings.redis());
    }

    /**
     * Reads all tables of some views, which a job of the name {@code owner} shares.
     *
     * @throws UserError if one cannot be read
     */
    public LookupTables open(String owner, Collection<FeatureView> views) {
        try {
            return LookupTables.open(owner, views, this, Clock.systemUTC());
        } catch (IOException e) {
            throw UserError.failed(String.valueOf(e.getMessage()), "lookup: of the view names it")
                    .causedBy(e);
        }
    }

    @Override
    public LookupSource redis(Lookup.Redis table, Lookup lookup) {
        URI uri = servers.get(table.server());
        if (uri == null) {
            throw UserError.usage(
                    "lookup table %s: no redis server is named '%s'; %s"
                            .formatted(table.name(), table.server(), Nearest.hint(table.server(), servers.keySet())),
                    "say redis: {%s: {uri: \"redis://localhost:6379\"}} in thalweg.yaml".formatted(table.server()));
        }
        return new OfRedis(
                uri,
                table,
                lookup.fields().stream().map(ConfiguredLookups::name).toList());
    }

    private static String name(FieldPath field) {
        return String.join(".", field.segments());
    }

    /** Connects anew for each reading: minutes lie between them. */
    private record OfRedis(URI uri, Lookup.Redis table, List<String> fields) implements LookupSource {
        @Override
        public String name() {
            return table.name();
        }

        @Override
        public void read(LookupRows into) throws IOException {
            try (RedisTable rows = RedisTable.open(uri, table.pattern(), fields)) {
                rows.read(into::add);
            } catch (StoreException e) {
                throw new IOException(e.getMessage(), e);
            }
        }
    }
}
