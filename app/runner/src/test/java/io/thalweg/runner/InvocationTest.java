package io.thalweg.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InvocationTest {
    @Test
    void inHint_commandsOfAHint_haveTheNameThatTheUserCalls() {
        assertThat(Invocation.inHint("thalweg --help lists them; (thalweg demo) and thalweg.yaml", "./thalweg"))
                .isEqualTo("./thalweg --help lists them; (./thalweg demo) and thalweg.yaml");
        assertThat(Invocation.inHint("in a clone: ./thalweg bench NAME", "thalweg"))
                .isEqualTo("in a clone: ./thalweg bench NAME");
        assertThat(Invocation.inHint("see schema_registry in thalweg.yaml", "./thalweg"))
                .isEqualTo("see schema_registry in thalweg.yaml");
    }

    @ParameterizedTest
    @CsvSource({
        "'', ./thalweg, ./thalweg",
        "market, ./thalweg, ../thalweg",
        "market, thalweg, thalweg",
        "market, /opt/thalweg/thalweg, /opt/thalweg/thalweg",
    })
    void nameFrom_anotherFolder_callsTheSameProgram(Path folder, String name, String expected) {
        assertThat(Invocation.nameFrom(folder, name)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "812, 0.8 s",
        "0, 0.0 s",
        "999900, 999.9 s",
        "1800000, 30 min",
        "86100000, 24 h",
        "31480370300, 364 d",
        "-60000, -60.0 s",
        "-86400000, -24 h",
    })
    void age_anyLength_hasFewDigits(long millis, String text) {
        assertThat(Units.age(millis)).isEqualTo(text);
    }
}
