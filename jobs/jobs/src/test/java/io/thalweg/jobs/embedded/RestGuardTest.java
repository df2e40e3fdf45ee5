package io.thalweg.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RestGuardTest {
    @Test
    void secret_chosenByTheStarter_isThatOne() {
        assertThat(RestGuard.secret(Map.of("THALWEG_REST_SECRET", "chosen"))).isEqualTo("chosen");
    }

    @Test
    void secret_notChosen_isAnotherForEachProcess() {
        for (Map<String, String> environment : List.of(Map.<String, String>of(), Map.of("THALWEG_REST_SECRET", " "))) {
            assertThat(RestGuard.secret(environment)).hasSize(36).isNotEqualTo(RestGuard.secret(environment));
        }
    }
}
