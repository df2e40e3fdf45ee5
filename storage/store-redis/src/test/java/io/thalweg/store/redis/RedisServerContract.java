package io.thalweg.store.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.OnlineStoreContract;
import io.thalweg.store.StoreKey;
import java.nio.file.Path;
import java.time.Clock;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The contract against one server, where each test has its own project. */
@SuppressWarnings("NullAway.Init")
abstract class RedisServerContract extends OnlineStoreContract {
    @TempDir
    static Path folder;

    static RedisProcess server;
    static RedisClient client;

    final String project = "t" + UUID.randomUUID();
    private StatefulRedisConnection<byte[], byte[]> connection;
    RedisCommands<byte[], byte[]> redis;

    @BeforeAll
    static void startServer() {
        server = RedisProcess.start(folder);
        client = RedisClient.create(server.uri().toString());
    }

    @AfterAll
    static void stopServer() {
        client.shutdown();
        server.close();
    }

    @Override
    protected final OnlineStore open(Clock clock) {
        return RedisOnlineStore.open(server.uri(), project, clock);
    }

    @Override
    protected void damage(FeatureView view, StoreKey key, byte[] value) {
        RedisKeys names = new RedisKeys(project, view);
        byte[] group = names.group(key.group());
        if (view.isKeyed()) {
            redis.set(names.newest(group), value);
        } else {
            redis.hset(names.newest(names.parent(key.cell()), group), names.field(key.cell()), value);
        }
    }

    @BeforeEach
    void connect() {
        connection = client.connect(ByteArrayCodec.INSTANCE);
        redis = connection.sync();
    }

    @AfterEach
    void disconnect() {
        connection.close();
    }
}
