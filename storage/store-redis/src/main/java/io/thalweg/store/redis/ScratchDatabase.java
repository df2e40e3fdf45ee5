package io.thalweg.store.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.thalweg.store.StoreException;
import java.net.URI;

/**
 * A database of a Redis server for trials, which is empty before and after.
 *
 * <p><b>Errors.</b> A server that does not answer is reported as a {@link StoreException}. <b>Threads.</b> One.
 */
public final class ScratchDatabase implements AutoCloseable {
    private final String name;
    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;

    private ScratchDatabase(String name, RedisClient client, StatefulRedisConnection<String, String> connection) {
        this.name = name;
        this.client = client;
        this.connection = connection;
    }

    /** Connects to a single server, {@code redis://HOST[:PORT][/DATABASE]}. */
    public static ScratchDatabase open(URI uri) {
        String name = uri.getHost() + ":" + uri.getPort();
        RedisClient client = RedisClient.create(uri.toString());
        try {
            return new ScratchDatabase(name, client, client.connect());
        } catch (RedisException e) {
            client.shutdown();
            throw unusable(name, e);
        }
    }

    private static StoreException unusable(String name, RedisException e) {
        return new StoreException("Redis at %s cannot be used: %s".formatted(name, e.getMessage()), e);
    }

    /** Returns the number of keys in the database. */
    public long keys() {
        try {
            return connection.sync().dbsize();
        } catch (RedisException e) {
            throw unusable(name, e);
        }
    }

    /** Removes all keys of the database. */
    public void clear() {
        try {
            connection.sync().flushdb();
        } catch (RedisException e) {
            throw unusable(name, e);
        }
    }

    @Override
    public void close() {
        connection.close();
        client.shutdown();
    }
}
