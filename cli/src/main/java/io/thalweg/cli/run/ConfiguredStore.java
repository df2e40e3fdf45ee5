package io.thalweg.cli.run;

import io.thalweg.cli.UserError;
import io.thalweg.model.Surroundings;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreException;
import io.thalweg.store.Stores;
import io.thalweg.store.cassandra.CassandraOnlineStore;
import io.thalweg.store.redis.RedisOnlineStore;
import java.time.Clock;

/** The store that {@code thalweg.yaml} names, open in this process once, however many use it. */
final class ConfiguredStore {
    private ConfiguredStore() {}

    /** Opens it or joins those who have it open; what hinders that is told in one line. */
    static OnlineStore open(Surroundings.Store store, Clock now) {
        try {
            if (store instanceof Surroundings.Redis redis) {
                return Stores.share(name(redis), () -> RedisOnlineStore.open(redis.uri(), redis.project(), now));
            }
            if (store instanceof Surroundings.Cassandra cassandra) {
                return Stores.share(name(cassandra), () -> CassandraOnlineStore.open(cassandra, now));
            }
            return Stores.open(name(store), now);
        } catch (StoreException e) {
            throw UserError.failed(String.valueOf(e.getMessage()), "").causedBy(e);
        }
    }

    /** By which the sinks of a job find it among {@link Stores}. */
    static String name(Surroundings.Store store) {
        if (store instanceof Surroundings.RocksDb rocks) {
            return rocks.path().toString();
        }
        return store instanceof Surroundings.Redis redis ? redis.name() : ((Surroundings.Cassandra) store).name();
    }
}
