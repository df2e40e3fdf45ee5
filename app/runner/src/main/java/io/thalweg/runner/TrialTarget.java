package io.thalweg.runner;

import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.deployment.DeploymentConfig.Catalog;
import io.thalweg.model.deployment.DeploymentConfig.FolderCatalog;
import io.thalweg.model.deployment.DeploymentConfig.Kafka;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.model.yaml.DurationText;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where a job of a trial reads and writes instead of the real targets: the broker of the trial, a folder, and a scratch
 * store.
 *
 * @param name of the deployment, which names groups and transactions
 * @param bootstrap the broker's address
 * @param store a Redis that is empty; null = none
 */
record TrialTarget(
        String name,
        String bootstrap,
        Path folder,
        @Nullable URI store) {
    /** Larger than any sample, so that only checkpoints complete files. */
    private static final long TARGET_FILE = 512L << 20;

    /**
     * Returns the deployment with everything replaced that a job writes to. What jobs only read, such as lookup tables and
     * schemas, stays.
     */
    DeploymentConfig deployment(DeploymentConfig real, TrialSettings settings, String cluster) {
        Map<String, Kafka> kafka = new HashMap<>();
        real.kafka().forEach((id, each) -> kafka.put(id, new Kafka(bootstrap, Map.of(), each.reader())));
        kafka.putIfAbsent(cluster, new Kafka(bootstrap, Map.of()));
        Map<String, Catalog> catalogs = new HashMap<>();
        real.catalogs().keySet().forEach(id -> catalogs.put(id, new FolderCatalog(folder.resolve("catalog-" + id))));
        return new DeploymentConfig(
                name,
                kafka,
                real.redis(),
                catalogs,
                real.schemaRegistries(),
                real.google(),
                DeploymentConfig.Checkpoints.in(folder.resolve("checkpoints"), settings.checkpoints()),
                scratchStore(),
                DeploymentConfig.Server.loopback(0),
                settings.load(),
                null,
                real.views(),
                real.secrets());
    }

    private DeploymentConfig.Store scratchStore() {
        return store == null
                ? new DeploymentConfig.RocksDb(folder.resolve("store"))
                : new DeploymentConfig.Redis(new DeploymentConfig.RedisServer(store, null), name);
    }

    /** Returns a sink of the same kind that only this trial uses. For BigQuery, which has no tables to try with, it writes files. */
    Ingest.Sink sink(Ingest.Sink real, DurationText every) {
        if (real instanceof Ingest.TopicSink topic) {
            return new Ingest.TopicSink(
                    topic.topic(),
                    topic.kafka(),
                    topic.format(),
                    topic.schema(),
                    topic.exactlyOnce(),
                    every,
                    topic.linger());
        }
        if (real instanceof Ingest.IcebergSink iceberg) {
            return new Ingest.IcebergSink(
                    iceberg.table(),
                    iceberg.catalog(),
                    every,
                    iceberg.files(),
                    iceberg.keepSnapshots(),
                    iceberg.maxSnapshots(),
                    null,
                    iceberg.addsColumns());
        }
        String table = folder.resolve("table").toAbsolutePath().toString();
        Ingest.TableFiles files = real instanceof Ingest.ParquetSink parquet
                ? parquet.files()
                : new Ingest.TableFiles(TARGET_FILE, Ingest.FileCompression.ZSTD, List.of());
        return new Ingest.ParquetSink(table, every, files);
    }

    /**
     * Requires that a store may be written to and emptied.
     *
     * @throws UserError if it is not the address of a Redis, or the store of the deployment
     */
    static @Nullable URI requireScratch(@Nullable String uri, DeploymentConfig deployment) {
        if (uri == null) {
            return null;
        }
        URI address;
        try {
            address = URI.create(uri);
        } catch (IllegalArgumentException e) {
            throw wrong(uri);
        }
        if (!"redis".equals(address.getScheme()) || address.getHost() == null) {
            throw wrong(uri);
        }
        if (deployment.store() instanceof DeploymentConfig.Redis real
                && isSame(real.server().uri(), address)) {
            throw UserError.usage(
                    "--scratch-store %s:%d is the store of thalweg.yaml".formatted(address.getHost(), port(address)),
                    "name another server, which is empty: it is emptied after each run");
        }
        return address;
    }

    private static boolean isSame(URI one, URI other) {
        return one.getHost() != null
                && one.getHost().equalsIgnoreCase(other.getHost())
                && port(one) == port(other)
                && one.getPath().replace("/", "").equals(other.getPath().replace("/", ""));
    }

    private static int port(URI uri) {
        return uri.getPort() < 0 ? 6379 : uri.getPort();
    }

    private static UserError wrong(String uri) {
        return UserError.usage(
                "--scratch-store must be redis://HOST[:PORT][/DATABASE], was '%s'".formatted(uri),
                "such as --scratch-store redis://localhost:6380");
    }
}
