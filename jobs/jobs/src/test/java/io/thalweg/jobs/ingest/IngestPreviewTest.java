package io.thalweg.jobs.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import io.thalweg.formats.file.RawBlock;
import io.thalweg.jobs.function.FunctionHost;
import io.thalweg.jobs.ingest.account.IngestAccount;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.jobs.ingest.target.RowForm;
import io.thalweg.jobs.ingest.target.RowTarget;
import io.thalweg.model.Definitions;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordWriter;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Bool;
import io.thalweg.records.schema.FieldType.Int;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Real;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.write.ByteRecordWriter;
import io.thalweg.testing.Seeds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A preview judges messages exactly as a run does, whatever it can print. */
@SuppressWarnings("NullAway.Init")
class IngestPreviewTest {
    private static final int MESSAGES = 60;
    private static final Map<String, String> FORMATS = new TreeMap<>(Map.of(
            "avro", "format: avro, schema: {file: e.avsc}",
            "json", "format: json, schema: {file: e.json}",
            "protobuf", "format: protobuf, schema: {file: e.desc, type: E}",
            "thrift", "format: thrift, schema: {file: e.thrift, type: E}",
            "compact", "format: thrift, schema: {file: e.thrift, type: E, protocol: compact}"));

    @TempDir
    Path folder;

    @BeforeEach
    void writeSchemas() throws IOException {
        Files.writeString(folder.resolve("e.thrift"), """
                struct P { 1: optional double x, 2: optional string s }
                struct E {
                  1: required i64 id, 2: optional double d, 3: optional i64 t (thalweg.type = "timestamp_s"),
                  4: optional i32 day (thalweg.type = "date"), 5: optional map<string, double> m, 6: optional list<P> ps
                }
                """);
        Files.writeString(folder.resolve("e.avsc"), """
                {"type": "record", "name": "E", "fields": [
                  {"name": "id", "type": "long"},
                  {"name": "d", "type": ["null", "double"]},
                  {"name": "f", "type": "float"},
                  {"name": "t", "type": {"type": "long", "logicalType": "timestamp-millis"}},
                  {"name": "day", "type": {"type": "int", "logicalType": "date"}},
                  {"name": "tod", "type": {"type": "long", "logicalType": "time-micros"}},
                  {"name": "m", "type": {"type": "map", "values": "double"}}]}
                """);
        Files.writeString(folder.resolve("e.json"), """
                {"type": "object", "required": ["id"], "properties": {
                  "id": {"type": "integer"}, "d": {"type": "number"}, "t": {"type": "integer", "x-unit": "s"},
                  "day": {"type": "string", "format": "date"},
                  "m": {"type": "object", "additionalProperties": {"type": "number"}}}}
                """);
        DescriptorProto event = DescriptorProto.newBuilder()
                .setName("E")
                .addField(field("id", 1, FieldDescriptorProto.Type.TYPE_INT64))
                .addField(field("d", 2, FieldDescriptorProto.Type.TYPE_DOUBLE))
                .addField(field("s", 3, FieldDescriptorProto.Type.TYPE_STRING))
                .addField(field("f", 4, FieldDescriptorProto.Type.TYPE_FLOAT))
                .build();
        FileDescriptorSet file = FileDescriptorSet.newBuilder()
                .addFile(FileDescriptorProto.newBuilder()
                        .setName("e.proto")
                        .setSyntax("proto3")
                        .addMessageType(event))
                .build();
        Files.write(folder.resolve("e.desc"), file.toByteArray());
    }

    private static FieldDescriptorProto field(String name, int number, FieldDescriptorProto.Type type) {
        return FieldDescriptorProto.newBuilder()
                .setName(name)
                .setNumber(number)
                .setType(type)
                .setLabel(FieldDescriptorProto.Label.LABEL_OPTIONAL)
                .build();
    }

    private IngestPlan plan(String source, String sink) throws IOException {
        Path spec = Files.writeString(folder.resolve("events.yaml"), """
                apiVersion: thalweg/v1
                kind: Ingest
                name: events
                source: {topic: events, %s}
                sink: %s
                """.formatted(source, sink));
        return IngestPlan.of(Definitions.load(List.of(spec)).ingests().get(0));
    }

    private static Stream<Arguments> cases() {
        List<Arguments> cases = new ArrayList<>();
        for (long seed : Seeds.seeds().toArray()) {
            for (String format : FORMATS.keySet()) {
                for (String sink : List.of(
                        "{parquet: table}",
                        "{parquet: table, partition_by: [{hour: t}]}",
                        "{topic: copies, format: json}",
                        "{topic: copies, format: avro}")) {
                    cases.add(Arguments.of(seed, format, sink));
                }
            }
        }
        return cases.stream();
    }

    @ParameterizedTest(name = "seed={0} {1} {2}")
    @MethodSource("cases")
    void read_randomMessages_hasTheAccountOfARun(long seed, String format, String sink) throws IOException {
        if (sink.contains("partition_by") && format.equals("protobuf")) {
            return; // it has no time
        }
        IngestPlan plan = plan(FORMATS.get(format), sink);
        assertSameAccount(plan, messages(plan, new Random(seed)));
    }

    @Test
    void read_valuesThatJsonCannotExpress_arePrintedForPeople() throws IOException {
        IngestPlan plan = plan("format: avro, schema: {file: e.avsc}", "{parquet: table}");
        ByteRecordWriter writer = plan.format().bare().writer();
        writer.begin();
        writer.int64(0, 7);
        writer.float64(1, Double.NaN);
        writer.float64(2, Float.NEGATIVE_INFINITY);
        writer.int64(3, Long.MAX_VALUE / 1_000 * 1_000);
        writer.int64(4, Integer.MIN_VALUE);
        writer.int64(5, 0);
        writer.beginMap(6);
        writer.endMap(6);
        writer.end();
        byte[] message = Arrays.copyOfRange(writer.data(), writer.from(), writer.to());

        List<String> printed = assertSameAccount(plan, List.of(message));

        assertThat(printed)
                .containsExactly("{\"id\":7,\"d\":\"NaN\",\"f\":\"-Infinity\",\"t\":\"9223372036854775000\","
                        + "\"day\":\"-2147483648\",\"tod\":\"00:00:00\",\"m\":{}}");
    }

    /** Returns the printed rows. */
    private static List<String> assertSameAccount(IngestPlan plan, List<byte[]> messages) {
        RawBlock block = new RawBlock("events", null);
        for (byte[] message : messages) {
            block.add(message, 0, message.length, message.length, block.size());
        }
        List<String> printed = new ArrayList<>();
        try (IngestPreview preview =
                new IngestPreview(plan, null, row -> printed.add(new String(row, StandardCharsets.UTF_8)))) {
            preview.read(block);
            assertThat(account(preview)).isEqualTo(account(plan, block));
            assertThat(printed).hasSize((int) Math.min(5, preview.rows()));
        }
        return printed;
    }

    private static List<Object> account(IngestPreview preview) {
        return List.of(
                preview.events(),
                preview.filtered(),
                preview.badEvents(),
                preview.kept(),
                preview.rows(),
                preview.unknownFields(),
                new TreeMap<>(preview.bad()).toString());
    }

    /** Returns the account of a run. */
    private static List<Object> account(IngestPlan plan, RawBlock block) {
        return plan.ingest().sink() instanceof Ingest.TopicSink
                ? account(plan, block, new RowForm.Messages(plan.messages().bare(), Duration.ZERO))
                : account(plan, block, new RowForm.Columns());
    }

    private static <B> List<Object> account(IngestPlan plan, RawBlock block, RowForm<B> form) {
        IngestAccount account = new IngestAccount();
        Map<String, IngestPreview.Bad> bad = new TreeMap<>();
        RowTarget<B> target = form.open(plan);
        try (MessageLoop<B> loop = new MessageLoop<>(
                FunctionHost.here("run"), plan, target, account, letter -> IngestPreview.note(bad, letter), null)) {
            for (int i = 0; i < block.size(); i++) {
                loop.process(block, i);
            }
            assertThat(target.rows()).isEqualTo((int) account.get(IngestAccount.Count.ROWS));
        }
        return List.of(
                account.get(IngestAccount.Count.EVENTS),
                account.get(IngestAccount.Count.FILTERED),
                account.get(IngestAccount.Count.BAD),
                account.get(IngestAccount.Count.KEPT),
                account.get(IngestAccount.Count.ROWS),
                account.get(IngestAccount.Count.UNKNOWN_FIELDS),
                bad.toString());
    }

    /** Returns messages, some of which are damaged. */
    private static List<byte[]> messages(IngestPlan plan, Random random) {
        ByteRecordWriter writer = plan.format().bare().writer();
        List<byte[]> messages = new ArrayList<>();
        while (messages.size() < MESSAGES) {
            try {
                writer.begin();
                fields(plan.format().bare().struct(), 0, writer, random);
                writer.end();
            } catch (BadRecordException e) {
                continue; // the format cannot express it
            }
            byte[] message = Arrays.copyOfRange(writer.data(), writer.from(), writer.to());
            if (random.nextInt(5) == 0 && message.length > 0) {
                message[random.nextInt(message.length)] = (byte) random.nextInt();
            }
            messages.add(message);
        }
        return messages;
    }

    private static void fields(Struct struct, int first, RecordWriter writer, Random random) {
        int slot = first;
        for (Field field : struct.fields()) {
            if (field.required() || random.nextInt(4) > 0) {
                value(field.type(), slot, writer, random);
            } else {
                writer.absent(slot);
            }
            slot += FieldType.slots(field.type());
        }
    }

    private static void value(FieldType type, int slot, RecordWriter writer, Random random) {
        if (type instanceof Struct struct) {
            writer.beginStruct(slot);
            fields(struct, slot + 1, writer, random);
            writer.endStruct(slot);
        } else if (type instanceof ListOf list) {
            writer.beginList(slot);
            for (int i = random.nextInt(3); i > 0; i--) {
                value(list.element(), slot + 1, writer, random);
            }
            writer.endList(slot);
        } else if (type instanceof MapOf map) {
            writer.beginMap(slot);
            for (int i = random.nextInt(3); i > 0; i--) {
                value(map.key(), slot + 1, writer, random);
                value(map.value(), slot + 2, writer, random);
            }
            writer.endMap(slot);
        } else if (type instanceof Bool) {
            writer.bool(slot, random.nextBoolean());
        } else if (type instanceof Real real) {
            double[] odd = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, -0.0, Float.MAX_VALUE};
            double usual = real.bits() == 32 ? random.nextFloat() : random.nextGaussian() * 1e300;
            writer.float64(slot, random.nextInt(3) > 0 ? usual : odd[random.nextInt(odd.length)]);
        } else if (type instanceof FieldType.Text) {
            byte[] text =
                    random.nextInt(8) == 0 ? new byte[] {(byte) 0xFF} : new byte[] {'a', (byte) 0xC3, (byte) 0xA9};
            writer.bytes(slot, text, 0, text.length);
        } else {
            writer.int64(slot, whole(type, random));
        }
    }

    private static long whole(FieldType type, Random random) {
        if (type instanceof Int || type instanceof FieldType.Timestamp) {
            return random.nextLong() >> random.nextInt(64);
        }
        return type instanceof FieldType.Date
                ? random.nextInt() >> random.nextInt(32)
                : random.nextLong() >> (26 + random.nextInt(38));
    }
}
