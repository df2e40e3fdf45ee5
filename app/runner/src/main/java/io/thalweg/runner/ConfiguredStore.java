package io.thalweg.runner;

import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.FolderAddress;
import io.thalweg.store.Layouts;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreAddress;
import io.thalweg.store.StoreException;
import io.thalweg.store.cassandra.CassandraAddress;
import io.thalweg.store.redis.RedisAddress;
import java.time.Clock;
import java.util.List;

/** The store that {@code thalweg.yaml} names. This process opens it once and shares it. */
final class ConfiguredStore {
    private ConfiguredStore() {}

    /** Opens the store, or shares the open one; a failure is reported in one line. */
    static OnlineStore open(DeploymentConfig.Store store, List<FeatureView> views, Clock now) {
        try {
            return address(store, views).open(now);
        } catch (StoreException e) {
            throw UserError.failed(String.valueOf(e.getMessage()), "").causedBy(e);
        }
    }

    /** Returns how tasks open the store, wherever they run. Refuses a store that cannot keep these views as they are defined. */
    static StoreAddress address(DeploymentConfig.Store store, List<FeatureView> views) {
        try {
            if (!(store instanceof DeploymentConfig.Redis)) {
                String type = store instanceof DeploymentConfig.RocksDb ? "rocksdb" : "cassandra";
                views.forEach(view -> Layouts.requirePacked(view, type));
            }
        } catch (IllegalArgumentException e) {
            throw UserError.usage(String.valueOf(e.getMessage()), "").causedBy(e);
        }
        return address(store);
    }

    private static StoreAddress address(DeploymentConfig.Store store) {
        if (store instanceof DeploymentConfig.Redis redis) {
            return new RedisAddress(name(redis), redis.server(), redis.project());
        }
        if (store instanceof DeploymentConfig.Cassandra cassandra) {
            return new CassandraAddress(cassandra);
        }
        return new FolderAddress(name(store));
    }

    /** The name by which the sinks of a job find the store among {@link io.thalweg.store.Stores}. */
    static String name(DeploymentConfig.Store store) {
        if (store instanceof DeploymentConfig.RocksDb rocks) {
            return rocks.path().toString();
        }
        return store instanceof DeploymentConfig.Redis redis
                ? redis.name()
                : ((DeploymentConfig.Cassandra) store).name();
    }
}
