package io.thalweg.store.redis;

import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreAddress;
import io.thalweg.store.Stores;
import java.net.URI;
import java.time.Clock;

/**
 * A Redis server or cluster, as {@link RedisOnlineStore#open} takes it.
 *
 * @param name identifies it among the stores of a process: without user and password
 */
public record RedisAddress(String name, URI uri, String project) implements StoreAddress {
    @Override
    public OnlineStore open(Clock clock) {
        return Stores.share(name, () -> RedisOnlineStore.open(uri, project, clock));
    }

    /** Without user and password. */
    @Override
    public String toString() {
        return "RedisAddress[" + name + "]";
    }
}
