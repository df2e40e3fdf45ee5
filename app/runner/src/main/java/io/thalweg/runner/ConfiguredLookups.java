package io.thalweg.runner;

import io.thalweg.formats.lookup.LookupSources;
import io.thalweg.formats.lookup.LookupTables;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.problem.Suggestion;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.Lookup;
import io.thalweg.store.redis.RedisLookups;
import java.io.IOException;
import java.time.Clock;
import java.util.Collection;
import java.util.Map;

/**
 * The lookup tables that views name: files, and tables in the Redis servers of {@code thalweg.yaml}.
 *
 * @param servers by the name that definitions use
 */
public record ConfiguredLookups(Map<String, DeploymentConfig.RedisServer> servers) {
    public ConfiguredLookups {
        servers = Map.copyOf(servers);
    }

    /** Creates the lookups of the Redis servers that {@code thalweg.yaml} configures. */
    public static ConfiguredLookups of(DeploymentConfig deploymentConfig) {
        return new ConfiguredLookups(deploymentConfig.redis());
    }

    /**
     * Reads all tables of these views. A job named {@code owner} shares them.
     *
     * @throws UserError if one cannot be read
     */
    public LookupTables open(String owner, Collection<FeatureView> views) {
        try {
            return LookupTables.open(owner, views, sources(views), Clock.systemUTC());
        } catch (IOException e) {
            throw UserError.failed(String.valueOf(e.getMessage()), "lookup: of the view names it")
                    .causedBy(e);
        }
    }

    /**
     * Returns how a job reads the tables of these views, wherever it runs. A job needs more than {@code formats} only if a
     * view uses Redis.
     *
     * @throws UserError if a server is not configured
     */
    public LookupSources sources(Collection<FeatureView> views) {
        boolean inRedis = false;
        for (FeatureView view : views) {
            for (Lookup lookup : view.lookups()) {
                if (lookup.table() instanceof Lookup.Redis table) {
                    requireServer(table);
                    inRedis = true;
                }
            }
        }
        return inRedis ? new RedisLookups(servers) : LookupSources.files();
    }

    private void requireServer(Lookup.Redis table) {
        if (!servers.containsKey(table.server())) {
            throw UserError.usage(
                    "lookup table %s: no redis server is named '%s'; %s"
                            .formatted(table.name(), table.server(), Suggestion.hint(table.server(), servers.keySet())),
                    "say redis: {%s: {uri: \"redis://localhost:6379\"}} in thalweg.yaml".formatted(table.server()));
        }
    }
}
