package io.thalweg.store.cassandra;

import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreAddress;
import io.thalweg.store.Stores;
import java.time.Clock;

/** The address of a Cassandra cluster and keyspace, as {@link CassandraOnlineStore#open} takes them. */
public record CassandraAddress(DeploymentConfig.Cassandra where) implements StoreAddress {
    @Override
    public OnlineStore open(Clock clock) {
        return Stores.share(where.name(), () -> CassandraOnlineStore.open(where, clock));
    }

    /** Without user and password. */
    @Override
    public String toString() {
        return "CassandraAddress[" + where.name() + "]";
    }
}
