package io.thalweg.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;

class FakeClockTest {
    @Test
    void advance_otherZone_sharesTheTime() {
        FakeClock clock = new FakeClock(Instant.EPOCH);
        Clock paris = clock.withZone(ZoneId.of("Europe/Paris"));
        clock.advance(Duration.ofSeconds(5));
        assertThat(paris.instant()).isEqualTo(Instant.ofEpochSecond(5));
        clock.set(Instant.ofEpochSecond(1));
        assertThat(paris.millis()).isEqualTo(1_000);
    }

    @Test
    void next_twice_twoPortsThatCanBeBound() throws Exception {
        int first = FreePorts.next();
        int second = FreePorts.next();
        assertThat(first).isNotEqualTo(second);
        try (ServerSocket socket = new ServerSocket(first, 1, InetAddress.getLoopbackAddress())) {
            assertThat(socket.isBound()).isTrue();
        }
    }

    @Test
    void seeds_default_areFresh() {
        assertThat(Seeds.seeds().distinct().count()).isEqualTo(Seeds.seeds().count());
    }
}
