package io.thalweg.cli.run;

import io.thalweg.cli.UserError;
import io.thalweg.model.Surroundings;
import io.thalweg.store.FolderAddress;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreAddress;
import io.thalweg.store.StoreException;
import io.thalweg.store.cassandra.CassandraAddress;
import io.thalweg.store.redis.RedisAddress;
import java.time.Clock;

/** The store that {@code thalweg.yaml} names, open in this process once, however many use it. */
final class ConfiguredStore {
    private ConfiguredStore() {}

    /** Opens it or joins those who have it open; what hinders that is told in one line. */
    static OnlineStore open(Surroundings.Store store, Clock now) {
        try {
            return address(store).open(now);
        } catch (StoreException e) {
            throw UserError.failed(String.valueOf(e.getMessage()), "").causedBy(e);
        }
    }

    /** How tasks open it, wherever they run. */
    static StoreAddress address(Surroundings.Store store) {
        if (store instanceof Surroundings.Redis redis) {
            return new RedisAddress(name(redis), redis.uri(), redis.project());
        }
        if (store instanceof Surroundings.Cassandra cassandra) {
            return new CassandraAddress(cassandra);
        }
        return new FolderAddress(name(store));
    }

    /** By which the sinks of a job find it among {@link io.thalweg.store.Stores}. */
    static String name(Surroundings.Store store) {
        if (store instanceof Surroundings.RocksDb rocks) {
            return rocks.path().toString();
        }
        return store instanceof Surroundings.Redis redis ? redis.name() : ((Surroundings.Cassandra) store).name();
    }
}
