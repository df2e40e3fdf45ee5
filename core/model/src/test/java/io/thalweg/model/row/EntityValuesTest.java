package io.thalweg.model.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.model.Definitions;
import io.thalweg.model.view.Entity;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EntityValuesTest {
    private static final Entity RIDER =
            Definitions.parse("""
            apiVersion: thalweg/v1
            kind: FeatureView
            name: rides
            source: {topic: rides}
            entities: [{name: rider, field: rider, type: uuid}]
            measure: {count: all}
            windows: {sizes: [1m], every: 1m}
            """, "rides.yaml").views().get(0).entities().get(0);

    @Test
    void of_uuidInUpperCase_isCanonical() {
        assertThat(EntityValues.of(RIDER, "17A2B60C-29DD-5F76-95F3-B65DA5CBBDBE"))
                .isEqualTo("17a2b60c-29dd-5f76-95f3-b65da5cbbdbe");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1-1-1-1-1",
                "",
                "17a2b60c29dd5f7695f3b65da5cbbdbe",
                "17a2b60c-29dd-5f76-95f3-b65da5cbbdbe0",
                "17a2b60c-29dd-5f76-95f3-b65da5cbbdbg",
                "\u066117a2b6c-29dd-5f76-95f3-b65da5cbbdbe"
            })
    void of_textThatIsNoUuid_isRefused(String text) {
        assertThatThrownBy(() -> EntityValues.of(RIDER, text)).hasMessageContaining("must be a UUID such as");
    }
}
