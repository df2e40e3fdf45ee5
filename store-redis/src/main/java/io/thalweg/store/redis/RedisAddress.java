package io.thalweg.store.redis;

import io.thalweg.model.deployment.ClientTls;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreAddress;
import io.thalweg.store.Stores;
import java.net.URI;
import java.time.Clock;
import org.jspecify.annotations.Nullable;

/**
 * The address of a Redis server or cluster, as {@link RedisOnlineStore#open} takes it.
 *
 * @param name identifies it among the stores of a process: without user and password
 * @param tls with {@code rediss://} only; null = {@link ClientTls#DEFAULT} there
 */
public record RedisAddress(String name, URI uri, @Nullable ClientTls tls, String project) implements StoreAddress {
    @Override
    public OnlineStore open(Clock clock) {
        return Stores.share(name, () -> RedisOnlineStore.open(uri, tls, project, clock));
    }

    /** Without user and password. */
    @Override
    public String toString() {
        return "RedisAddress[" + name + "]";
    }
}
