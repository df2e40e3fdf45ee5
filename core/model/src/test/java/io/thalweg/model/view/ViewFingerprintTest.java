package io.thalweg.model.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.model.Definitions;
import io.thalweg.model.Views;
import io.thalweg.model.field.FieldPath;
import io.thalweg.model.source.EventSchema;
import io.thalweg.model.source.EventSchemas;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ViewFingerprintTest {
    private static final String KEPT = ViewFingerprint.of(Views.demand());

    /** Stored in checkpoints: a change of this text makes all jobs refuse their state. */
    @Test
    void of_demand_isStable() {
        assertThat(KEPT).isEqualTo("""
                        fingerprint=1
                        topics=["rider-events"]
                        kafka="default"
                        format=json
                        event_time="ts" ms
                        where=["event_type" in ["app_open","request"]]
                        entities=[cell: h3 "lat" "lng" resolution 9, product: "product_id" uuid]
                        measure=count_distinct "rider_id" uuid
                        every=60000ms
                        id_hash=murmur3-x64-128-seed-0
                        rings=0,1,2,3,4,5,10,15,20
                        windows=60000,120000,240000,480000,960000,1920000""");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "resolution: 9 | resolution: 8 | entities",
                "field: product_id | field: product | entities",
                "count_distinct: rider_id | count_distinct: user_id | measure",
                "[request, app_open] | [request] | where",
                "field: ts | field: time | event_time",
                "field: ts, unit: ms | field: ts, unit: iso8601, zone: America/New_York | event_time",
                "topic: rider-events | topic: riders | topics",
                "every: 1m | every: 30s | every",
            })
    void incompatibility_changedMeaning_namesTheChangeAndTheRemedy(String from, String to, String key)
            throws IOException {
        assertThat(ViewFingerprint.incompatibility(KEPT, changed(from, to)).orElseThrow())
                .startsWith("view demand: the kept state has another meaning: " + key + " was ")
                .endsWith("; raise version to 2, or start with --resume none");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[request, app_open] | [app_open, request] | NONE",
                "rider-events-dead | elsewhere | NONE",
                "[0, 1, 2, 3, 4, 5, 10, 15, 20] | [0, 7] | NONE",
                "[0, 1, 2, 3, 4, 5, 10, 15, 20] | [0, 21] | RESTARTS_WARM_UP",
                "16m, 32m] | 16m] | NONE",
                "16m, 32m] | 16m, 64m] | RESTARTS_WARM_UP",
            })
    void growth_onlyRingsAndWindows_growOrNot(String from, String to, ViewFingerprint.Growth growth)
            throws IOException {
        FeatureView now = changed(from, to);
        assertThat(ViewFingerprint.incompatibility(KEPT, now)).isEmpty();
        assertThat(ViewFingerprint.growth(KEPT, now)).isEqualTo(growth);
    }

    @Test
    void incompatibility_lenientNumbers_changeWhichEventsCount() throws IOException {
        FeatureView lenient = changed("  format: json\n", "  format: json\n  numbers: lenient\n");
        assertThat(ViewFingerprint.incompatibility(KEPT, lenient).orElseThrow())
                .contains("numbers was absent, is lenient");
        assertThat(ViewFingerprint.incompatibility(ViewFingerprint.of(lenient), lenient))
                .isEmpty();
        FeatureView strict = changed("  format: json\n", "  format: json\n  numbers: strict\n");
        assertThat(ViewFingerprint.of(strict)).isEqualTo(KEPT);
    }

    @Test
    void incompatibility_noFingerprint_isRefused() {
        assertThatThrownBy(() -> ViewFingerprint.incompatibility("hello", Views.demand()))
                .hasMessage("not a view's fingerprint: 'hello'");
    }

    @Test
    void of_table_hasKeysAndFeatures() throws IOException {
        FeatureView table = Definitions.load(List.of(Views.EXAMPLES.resolve("driver_stats.yaml")))
                .materializations()
                .get(0)
                .view();

        assertThat(ViewFingerprint.of(table)).isEqualTo("""
                        fingerprint=1
                        entities=[driver: "driver_id" int64]
                        features=["trips" int64, "avg_rating" double, "vip" bool]
                        rings=
                        windows=""");
    }

    /** A job reads the schema of its events, a server does not. */
    @Test
    void ofServed_schemaRead_isAsWithoutReadingIt() throws IOException {
        String text = Files.readString(Views.EXAMPLES.resolve("demand.yaml"))
                .replace("  format: json\n", "  format: avro\n  schema: {file: events.avsc}\n");
        EventSchemas read = (format, schema) -> Optional.of(new EventSchemas.Fields() {
            @Override
            public EventSchema schema() {
                return new EventSchema(schema, Map.of(), null);
            }

            @Override
            public EventSchemas.FieldType type(FieldPath field) {
                return switch (field.text()) {
                    case "ts" -> new EventSchemas.FieldType(EventSchemas.Kind.INTEGER, "long", null);
                    case "lat", "lng" -> new EventSchemas.FieldType(EventSchemas.Kind.NUMBER, "double", null);
                    default -> new EventSchemas.FieldType(EventSchemas.Kind.TEXT, "string", null);
                };
            }
        });
        FeatureView ofJob = Definitions.parse(text, "demand.yaml", read).views().get(0);
        FeatureView ofServer = Definitions.parse(text, "demand.yaml").views().get(0);

        assertThat(ViewFingerprint.of(ofJob)).isNotEqualTo(ViewFingerprint.of(ofServer));
        assertThat(ViewFingerprint.ofServed(ofJob)).isEqualTo(ViewFingerprint.ofServed(ofServer));
    }

    private static FeatureView changed(String from, String to) throws IOException {
        String text = Files.readString(Views.EXAMPLES.resolve("demand.yaml"));
        assertThat(text).contains(from);
        return Definitions.parse(text.replace(from, to), "demand.yaml").views().get(0);
    }
}
