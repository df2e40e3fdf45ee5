package io.thalweg.formats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.thalweg.formats.RideMessages.Encoding;
import io.thalweg.model.Definitions;
import io.thalweg.model.problem.DefinitionException;
import io.thalweg.model.source.EventSchema;
import io.thalweg.model.source.Source;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.ViewFingerprint;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Definitions and the schemas of their events. {@code -Dthalweg.golden=write} rewrites the messages of the broken ones. */
class RecordSchemasTest {
    private static final Path BROKEN = Path.of("src/test/resources/broken-schema");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"fields", "measures", "schemas", "event-time"})
    void load_definitionThatDoesNotFitItsSchema_namesKeyPathTypeAndRemedy(String name) throws IOException {
        Path file = BROKEN.resolve(name + ".yaml");
        DefinitionException e = catchThrowableOfType(
                DefinitionException.class, () -> Definitions.load(List.of(file), new RecordSchemas(Map.of())));
        String found =
                String.valueOf(e.getMessage())
                                .replace(BROKEN.toAbsolutePath() + "/", "")
                                .replace(BROKEN + "/", "") + "\n";
        Path golden = BROKEN.resolve(name + ".txt");
        if ("write".equals(System.getProperty("thalweg.golden"))) {
            Files.writeString(golden, found);
        }
        assertThat(found).isEqualTo(Files.readString(golden));
    }

    /** A server of rows needs no schema: its file may be missing. */
    @Test
    void load_schemasUnread_areNotMissed() throws IOException {
        Path file = folder.resolve("source.yaml");
        Files.writeString(file, """
                apiVersion: thalweg/v1
                kind: FeatureView
                name: rides
                source: {topic: rides, format: avro, schema: {file: gone.avsc}, event_time: {field: at, zone: America/New_York}}
                entities: [{name: id, field: id}]
                measure: {count: all}
                windows: {sizes: [1m], every: 1m}
                """);

        FeatureView view = Definitions.load(List.of(file)).views().get(0);

        assertThat(view.featureNames()).containsExactly("count_1m");
        assertThatThrownBy(() -> EventDecoder.create(Projection.of(List.of(view))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("was not read");
    }

    /** A task may run on a machine without the schema's files. */
    @ParameterizedTest
    @EnumSource(Encoding.class)
    void view_elsewhere_decodesWithoutTheFiles(Encoding encoding) throws Exception {
        FeatureView view = RecordDecoderTest.view(RecordDecoderTest.KEYS, encoding.keys(), folder);
        byte[] sent = serialized(view);
        for (String file : List.of("ride.avsc", "ride.thrift", "rider.thrift", "ride.desc")) {
            Files.delete(folder.resolve(file));
        }

        FeatureView received = (FeatureView) new ObjectInputStream(new ByteArrayInputStream(sent)).readObject();

        assertThat(received).isEqualTo(view);
        Projection projection = Projection.of(List.of(received));
        EventColumns events = new EventColumns(projection);
        byte[] message = RideMessages.encode(RideMessages.ride(new Random(7), Views.T0), encoding);
        EventDecoder.create(projection).decode(message, 0, message.length, 0, 0, events);
        assertThat(events.decodeError(0)).isNull();
    }

    /** Plans and sources appear in logs. */
    @Test
    void toString_schemaOfARegistry_hasNoAuthorization() {
        EventSchema.Registered registered = new EventSchema.Registered("http://registry:8081", "Bearer secret", 7);
        Source.Subject subject = new Source.Subject("default", "rides-value", 0);
        EventSchema schema = new EventSchema(
                new Source.Schema("", null, Source.Protocol.BINARY, Source.Wire.CONFLUENT, subject),
                Map.of("rides-value, version 3", "{}"),
                registered);

        assertThat(schema + " " + registered)
                .contains("rides-value", "http://registry:8081")
                .doesNotContain("secret");
        assertThat(schema.name()).isEqualTo("rides-value, version 3");
    }

    private static byte[] serialized(Object object) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ObjectOutputStream objects = new ObjectOutputStream(out)) {
            objects.writeObject(object);
        }
        return out.toByteArray();
    }

    @Test
    void fingerprint_thrift_isStable() throws IOException {
        FeatureView view = RecordDecoderTest.view(RecordDecoderTest.KEYS, Encoding.THRIFT_BINARY.keys(), folder);

        assertThat(ViewFingerprint.of(view))
                .contains("\nformat=thrift\nschema=[\"fare\" number, \"product\" text, \"rider\" struct,"
                        + " \"rider\".\"id\" text, \"seats\" integer, \"status\" text, \"total\" integer,"
                        + " \"ts\" integer, \"vip\" boolean]\nevent_time=");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // Fields that the view does not name may change, and integers and enums may become wider.
                "optional string note | optional i32 note | true",
                "12: optional string product | 12: optional string product 13: optional i64 more | true",
                "optional i32 seats | optional i64 seats | true",
                "optional Status status | optional string status | true",
                "optional double fare | optional i64 fare | false",
                "optional double fare | optional double fare = 1.5 | false",
                "optional string product | optional string product = 'none' | false",
            })
    void fingerprint_changedSchema_countsWhereTheViewNamesTheField(String from, String to, boolean same)
            throws IOException {
        String keys = Encoding.THRIFT_BINARY.keys();
        FeatureView before = RecordDecoderTest.view(RecordDecoderTest.KEYS, keys, folder);
        Path schema = folder.resolve("ride.thrift");
        String text = Files.readString(schema);
        assertThat(text).contains(from);
        Files.writeString(schema, text.replace(from, to));

        String yaml = RecordDecoderTest.KEYS.replace("KEYS", keys);
        FeatureView after = Definitions.parse(yaml, folder.resolve("view.yaml").toString(), new RecordSchemas(Map.of()))
                .views()
                .get(0);

        assertThat(ViewFingerprint.incompatibility(ViewFingerprint.of(before), after))
                .matches(change -> change.isEmpty() == same);
    }

    @Test
    void fingerprint_otherFormat_isAnother() throws IOException {
        FeatureView avro = RecordDecoderTest.view(RecordDecoderTest.KEYS, Encoding.AVRO.keys(), folder);
        FeatureView thrift = RecordDecoderTest.view(RecordDecoderTest.KEYS, Encoding.THRIFT_COMPACT.keys(), folder);

        assertThat(ViewFingerprint.incompatibility(ViewFingerprint.of(avro), thrift)
                        .orElseThrow())
                .contains("format was avro, is thrift");
    }
}
