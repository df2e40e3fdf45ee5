package io.thalweg.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.store.StoreException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("NullAway.Init")
class RedisTableTest {
    @TempDir
    Path folder;

    private RedisProcess server;
    private RedisClient client;
    private RedisCommands<String, String> redis;

    @BeforeEach
    void start() {
        server = RedisProcess.start(folder);
        client = RedisClient.create(server.uri().toString());
        redis = client.connect().sync();
    }

    @AfterEach
    void stop() {
        client.shutdown();
        server.close();
    }

    private Map<String, List<@Nullable String>> read(String pattern, String... fields) throws IOException {
        Map<String, List<@Nullable String>> rows = new HashMap<>();
        try (RedisTable table = RedisTable.open(
                "ads", new DeploymentConfig.RedisServer(server.uri(), null), pattern, List.of(fields))) {
            table.read((key, values) -> rows.put(
                    new String(key, StandardCharsets.UTF_8),
                    values.stream()
                            .map(value -> value == null ? null : new String(value, StandardCharsets.UTF_8))
                            .toList()));
        }
        return rows;
    }

    @Test
    void read_manyTextKeys_everyOneOnceAndNoOthers() throws IOException {
        for (int i = 0; i < 3_000; i++) {
            redis.set("ad:" + i, "c" + i % 10);
        }
        redis.set("add:1", "no");
        redis.set("xad:1", "no");
        Map<String, List<@Nullable String>> rows = read("ad:{ad_id}", "campaign_id");
        assertThat(rows).hasSize(3_000).containsEntry("2999", List.of("c9"));
    }

    @Test
    void read_hashKeys_theirFieldsByName() throws IOException {
        redis.hset("ad:1:x", Map.of("campaign_id", "c1", "bid", "0.5", "other", "o"));
        redis.hset("ad:é:x", Map.of("bid", "0.7"));
        assertThat(read("ad:{ad_id}:x", "campaign_id", "bid"))
                .containsOnly(Map.entry("1", List.of("c1", "0.5")), Map.entry("é", Arrays.asList(null, "0.7")));
    }

    @Test
    void read_patternWithSignsOfItsOwn_takesThemAsTheyAre() throws IOException {
        redis.set("a*[1]:x", "yes");
        redis.set("ab1:y", "no");
        assertThat(read("a*[1]:{id}", "v")).containsOnly(Map.entry("x", List.of("yes")));
    }

    @Test
    void read_oneHash_itsFieldsAreTheKeys() throws IOException {
        for (int i = 0; i < 2_000; i++) {
            redis.hset("ads", "a" + i, "c" + i);
        }
        assertThat(read("ads", "campaign_id")).hasSize(2_000).containsEntry("a7", List.of("c7"));
    }

    @Test
    void read_nothingThere_isAnEmptyTable() throws IOException {
        assertThat(read("ads", "v")).isEmpty();
        assertThat(read("ad:{id}", "v")).isEmpty();
    }

    @Test
    void read_keyOfAnotherType_saysSo() {
        redis.lpush("ad:1", "x");
        assertThatThrownBy(() -> read("ad:{id}", "v"))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("WRONGTYPE");
    }

    @Test
    void read_serverGone_failsAtOnceAndNamesIt() {
        try (RedisTable table =
                RedisTable.open("ads", new DeploymentConfig.RedisServer(server.uri(), null), "ad:{id}", List.of("v"))) {
            server.kill();
            assertThat(table.name()).isEqualTo(server.uri() + " ad:{id}");
            assertThatThrownBy(() -> table.read((key, values) -> {}))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining(server.uri().toString());
        }
    }
}
