package io.thalweg.formats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.records.SchemaText.Language;
import io.thalweg.records.registry.RegistryAddress;
import io.thalweg.records.registry.RegistryAwayException;
import io.thalweg.records.registry.SchemaRegistry;
import io.thalweg.testing.FreePorts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A registry that refuses connections, with time that passes only by waiting. */
class RegistrySchemasTest {
    private final List<Long> pauses = new ArrayList<>();
    private long nowNanos = -7;

    private RegistrySchemas schemas(RegistrySchemas.Pause pause) {
        String url = "http://127.0.0.1:" + FreePorts.next();
        return new RegistrySchemas(
                new SchemaRegistry(new RegistryAddress("default", url, "Bearer secret")),
                Language.AVRO,
                "rides-value",
                () -> nowNanos,
                pause);
    }

    @Test
    void byId_registryThatStaysAway_waitsMoreAndMoreAndGivesUpAfterTenMinutes() {
        RegistrySchemas schemas = schemas(ms -> {
            pauses.add(ms);
            nowNanos += TimeUnit.MILLISECONDS.toNanos(ms);
        });

        assertThatThrownBy(() -> schemas.byId(7))
                .isInstanceOf(RegistryAwayException.class)
                .hasMessageStartingWith("schema registry default at http://127.0.0.1:")
                .hasMessageNotContaining("secret");

        assertThat(pauses).startsWith(100L, 200L, 400L, 800L, 1_600L, 3_200L, 5_000L, 5_000L);
        assertThat(pauses.stream().mapToLong(Long::longValue).sum())
                .isBetween(
                        Duration.ofMinutes(10).toMillis(),
                        Duration.ofMinutes(10).plusSeconds(5).toMillis());
    }

    @Test
    void versions_interruptedWhileItWaits_endsAtOnceAndStaysInterrupted() {
        RegistrySchemas schemas = schemas(ms -> {
            pauses.add(ms);
            throw new InterruptedException();
        });

        assertThatThrownBy(schemas::versions).isInstanceOf(RegistryAwayException.class);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(pauses).hasSize(1);
    }
}
