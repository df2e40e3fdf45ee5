package io.thalweg.formats;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.formats.RideMessages.Encoding;
import io.thalweg.model.Definitions;
import io.thalweg.model.view.FeatureView;
import io.thalweg.records.envelope.Envelope;
import io.thalweg.records.envelope.EnvelopeSealer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.apache.avro.Conversions;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Types that JSON does not have, and records that are not messages. */
class RecordDecoderEdgesTest {
    private static final Schema TYPES = new Schema.Parser().parse("""
            {"type": "record", "name": "Types", "fields": [
              {"name": "utc", "type": {"type": "long", "logicalType": "timestamp-millis"}},
              {"name": "local", "type": {"type": "long", "logicalType": "local-timestamp-micros"}},
              {"name": "seconds", "type": "double"},
              {"name": "day", "type": {"type": "int", "logicalType": "date"}},
              {"name": "id", "type": {"type": "string", "logicalType": "uuid"}},
              {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 30, "scale": 2}},
              {"name": "whole", "type": {"type": "bytes", "logicalType": "decimal", "precision": 30, "scale": 0}},
              {"name": "small", "type": "float"},
              {"name": "blob", "type": "bytes"}]}""");

    private static final String VIEW = """
            apiVersion: thalweg/v1
            kind: FeatureView
            name: types
            source: {topic: t, SOURCE}
            entities: [{name: id, field: id, type: uuid}, {name: day, field: day, type: int64}]
            where: {blob: {exists: true}}
            measures:
              - {sum: price}
              - {max: small}
              - {min: whole}
              - {max: utc, type: int64}
            windows: {sizes: [1m], every: 1m}
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private FeatureView view(String source) throws IOException {
        String file = RideMessages.writeSchemas(folder);
        Files.writeString(folder.resolve("types.avsc"), TYPES.toString());
        return Definitions.parse(VIEW.replace("SOURCE", source), file, new RecordSchemas(Map.of()))
                .views()
                .get(0);
    }

    private static byte[] message(long utcMs, long localMicros, double seconds, BigDecimal price) throws IOException {
        GenericRecord record = new GenericData.Record(TYPES);
        record.put("utc", utcMs);
        record.put("local", localMicros);
        record.put("seconds", seconds);
        record.put("day", (int) LocalDate.of(1969, 12, 30).toEpochDay());
        record.put("id", new UUID(-2, 3).toString());
        record.put("price", decimal("price", price));
        record.put("whole", decimal("whole", new BigDecimal("-12345678901234567890")));
        record.put("small", 0.1f);
        record.put("blob", ByteBuffer.allocate(3));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(out, null);
        new GenericDatumWriter<GenericRecord>(TYPES).write(record, encoder);
        encoder.flush();
        return out.toByteArray();
    }

    private static ByteBuffer decimal(String field, BigDecimal value) {
        Schema type = TYPES.getField(field).schema();
        LogicalTypes.Decimal decimal = (LogicalTypes.Decimal) type.getLogicalType();
        return new Conversions.DecimalConversion().toBytes(value, type, decimal);
    }

    @Test
    void decode_typesWithoutJson_haveOneFormForBothDecoders() throws IOException {
        FeatureView view = view("format: avro, schema: {file: types.avsc}, event_time: {field: utc}");
        Projection projection = Projection.of(List.of(view));
        byte[] message = message(Views.T0, 0, 0, new BigDecimal("-12.50"));
        for (EventDecoder decoder : List.of(RecordDecoder.create(projection), RecordDecoder.createNaive(projection))) {
            EventColumns events = new EventColumns(projection);

            decoder.decode(message, 0, message.length, 0, 0, events);

            assertThat(events.decodeError(0)).isNull();
            assertThat(shown(events, projection))
                    .containsExactly(
                            "utc INTEGER " + Views.T0 * 1000,
                            "blob OTHER an object or array",
                            "id STRING \"ffffffff-ffff-fffe-0000-000000000003\"",
                            "day INTEGER -2",
                            "price DOUBLE -12.50",
                            "small DOUBLE 0.10000000149011612",
                            "whole DOUBLE -12345678901234567890");
        }
    }

    private static List<String> shown(EventColumns events, Projection projection) {
        List<String> shown = new ArrayList<>();
        for (int c = 0; c < projection.size(); c++) {
            shown.add(projection.paths().get(c).text() + " " + events.kind(0, c) + " " + events.shown(0, c));
        }
        return shown;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "field: utc | 2026-01-31T18:00:00.123Z",
                "field: local, zone: America/New_York | 2026-01-31T23:00:00.123Z",
                "field: seconds, unit: s | 2026-01-31T18:00:00.123Z",
            })
    void eventTime_ofTheSchema_isRead(String field, String expected) throws IOException {
        FeatureView view = view("format: avro, schema: {file: types.avsc}, event_time: {" + field + "}");
        Projection projection = Projection.of(List.of(view));
        EventColumns events = new EventColumns(projection);
        long ms = Instant.parse("2026-01-31T18:00:00.123Z").toEpochMilli();
        byte[] message = message(ms, ms * 1000 + 999, 1769882400.1239, BigDecimal.ONE.setScale(2));
        EventDecoder.create(projection).decode(message, 0, message.length, 0, 0, events);

        EventTimeReader times = EventTimeReader.of(view.source(), projection);

        assertThat(times.read(events, 0)).isNull();
        assertThat(Instant.ofEpochMilli(times.timeMs())).hasToString(expected);
    }

    @ParameterizedTest
    @EnumSource(value = Envelope.Compression.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void decode_compressedRecord_isOpenedAndKeptAsItWas(Envelope.Compression compression) throws IOException {
        String keys = Encoding.PROTOBUF.keys() + ", envelope: {compression: "
                + compression.name().toLowerCase(Locale.ROOT) + "}";
        Projection projection = Projection.of(List.of(RecordDecoderTest.view(RecordDecoderTest.KEYS, keys, folder)));
        byte[] message = RideMessages.encode(RideMessages.ride(new Random(3), Views.T0), Encoding.PROTOBUF);
        EnvelopeSealer sealer = new EnvelopeSealer(new Envelope(compression, Envelope.Messages.ONE));
        byte[] sealed = sealed(sealer, message);
        EventColumns events = new EventColumns(projection);
        EventDecoder decoder = EventDecoder.create(projection);

        decoder.decode(sealed, 0, sealed.length, 0, 0, events);
        decoder.decode(message, 0, message.length, 0, 1, events);

        assertThat(events.decodeError(0)).isNull();
        assertThat(events.raw(0)).isSameAs(sealed);
        assertThat(events.rawLength(0)).isEqualTo(sealed.length);
        assertThat(events.decodeReason(1)).isEqualTo(BadReason.UNDECODABLE);
    }

    private static byte[] sealed(EnvelopeSealer sealer, byte[] message) {
        sealer.add(message, 0, message.length);
        return sealer.seal();
    }

    /** Any bytes append an event: with all columns, or with a reason and no columns. */
    @ParameterizedTest(name = "seed={0} {1}")
    @MethodSource("io.thalweg.formats.RecordDecoderTest#seedsAndEncodings")
    void decode_damagedMessage_isOneBadEventOrADifferentGoodOne(long seed, Encoding encoding) throws IOException {
        Random random = new Random(seed);
        FeatureView view = RecordDecoderTest.view(RecordDecoderTest.KEYS, encoding.keys(), folder);
        Projection projection = Projection.of(List.of(view));
        EventColumns ours = new EventColumns(projection);
        EventColumns naive = new EventColumns(projection);
        EventDecoder decoder = RecordDecoder.create(projection);
        EventDecoder plain = RecordDecoder.createNaive(projection);
        for (int i = 0; i < 300; i++) {
            byte[] message = RideMessages.encode(RideMessages.ride(random, Views.T0), encoding);
            byte[] damaged = Arrays.copyOf(message, random.nextInt(message.length + 1));
            for (int flips = random.nextInt(4); flips > 0 && damaged.length > 0; flips--) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            }
            decoder.decode(damaged, 0, damaged.length, 3, i, ours);
            plain.decode(damaged, 0, damaged.length, 3, i, naive);
            assertThat(ours.size()).isEqualTo(i + 1);
            assertThat(ours.raw(i)).isSameAs(damaged);
            assertThat(ours.partition(i)).isEqualTo(3);
            if (ours.decodeReason(i) != null) {
                assertThat(ours.decodeError(i)).isNotEmpty();
                for (int c = 0; c < projection.size(); c++) {
                    assertThat(ours.kind(i, c)).isEqualTo(FieldKind.MISSING);
                }
            }
        }
        assertThat(RecordDecoderTest.values(ours, projection.size()))
                .isEqualTo(RecordDecoderTest.values(naive, projection.size()));
    }

    @ParameterizedTest
    @EnumSource(Encoding.class)
    void decode_emptyAndTooLarge_areBad(Encoding encoding) throws IOException {
        FeatureView view = RecordDecoderTest.view(RecordDecoderTest.KEYS, encoding.keys(), folder);
        Projection projection = Projection.of(List.of(view));
        EventColumns events = new EventColumns(projection);
        EventDecoder decoder = EventDecoder.create(projection);

        decoder.decode("nothing".getBytes(US_ASCII), 4, 0, 0, 0, events);
        decoder.decode(new byte[EventDecoder.MAX_RECORD_BYTES + 1], 0, EventDecoder.MAX_RECORD_BYTES + 1, 0, 1, events);

        assertThat(events.decodeReason(0))
                .as("a message of Protocol Buffers without bytes has defaults")
                .isEqualTo(encoding == Encoding.PROTOBUF ? null : BadReason.UNDECODABLE);
        assertThat(events.decodeReason(1)).isEqualTo(BadReason.TOO_LARGE);
    }

    /** Record fields come from Kafka in every format. */
    @Test
    void decode_fieldsOfTheRecord_areFilled() throws IOException {
        String yaml = RecordDecoderTest.KEYS
                .replace("field: product}", "field: $key}")
                .replace("field: vip, type: bool", "field: $partition, type: int64");
        FeatureView view = RecordDecoderTest.view(yaml, Encoding.AVRO.keys(), folder);
        Projection projection = Projection.of(List.of(view));
        EventColumns events = new EventColumns(projection);
        byte[] message = RideMessages.encode(RideMessages.ride(new Random(1), Views.T0), Encoding.AVRO);

        EventDecoder.create(projection).decode(message, 0, message.length, new KafkaOrigin(9, 0, 5), events);

        assertThat(shown(events, projection)).contains("$key STRING \"k\"", "$partition INTEGER 9");
    }
}
