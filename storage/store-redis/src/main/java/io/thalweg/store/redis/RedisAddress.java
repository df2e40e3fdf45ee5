package io.thalweg.store.redis;

import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreAddress;
import io.thalweg.store.Stores;
import java.time.Clock;

/**
 * The address of a store in Redis, as {@link RedisOnlineStore#open} takes it.
 *
 * @param name identifies it among the stores of a process: without user and password
 */
public record RedisAddress(String name, DeploymentConfig.RedisServer server, String project) implements StoreAddress {
    @Override
    public OnlineStore open(Clock clock) {
        return Stores.share(name, () -> RedisOnlineStore.open(server, project, clock));
    }

    /** Without user and password. */
    @Override
    public String toString() {
        return "RedisAddress[" + name + "]";
    }
}
