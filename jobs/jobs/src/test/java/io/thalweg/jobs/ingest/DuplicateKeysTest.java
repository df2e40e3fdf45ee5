package io.thalweg.jobs.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto.Label;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto.Type;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.DescriptorProtos.MessageOptions;
import io.thalweg.formats.file.RawBlock;
import io.thalweg.jobs.function.FunctionHost;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.jobs.ingest.target.RowForm;
import io.thalweg.model.Definitions;
import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.records.columns.LeafColumn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A key of a map that occurs twice in a message has one entry in the row, because readers of Parquet refuse others. */
@SuppressWarnings("NullAway.Init")
class DuplicateKeysTest {
    @TempDir
    Path folder;

    @BeforeEach
    void writeSchemas() throws IOException {
        Files.writeString(folder.resolve("e.thrift"), "struct E { 1: map<string, i32> m }");
        Files.writeString(folder.resolve("e.avsc"), """
                {"type": "record", "name": "E", "fields": [{"name": "m", "type": {"type": "map", "values": "int"}}]}
                """);
        Files.writeString(folder.resolve("e.json"), """
                {"type": "object", "properties": {"m": {"type": "object", "additionalProperties": {"type": "integer"}}}}
                """);
        DescriptorProto entry = DescriptorProto.newBuilder()
                .setName("MEntry")
                .addField(field("key", 1, Type.TYPE_STRING, Label.LABEL_OPTIONAL))
                .addField(field("value", 2, Type.TYPE_INT32, Label.LABEL_OPTIONAL))
                .setOptions(MessageOptions.newBuilder().setMapEntry(true))
                .build();
        DescriptorProto event = DescriptorProto.newBuilder()
                .setName("E")
                .addField(field("m", 1, Type.TYPE_MESSAGE, Label.LABEL_REPEATED).setTypeName(".E.MEntry"))
                .addNestedType(entry)
                .build();
        FileDescriptorProto file = FileDescriptorProto.newBuilder()
                .setName("e.proto")
                .setSyntax("proto3")
                .addMessageType(event)
                .build();
        Files.write(
                folder.resolve("e.desc"),
                FileDescriptorSet.newBuilder().addFile(file).build().toByteArray());
    }

    private static FieldDescriptorProto.Builder field(String name, int number, Type type, Label label) {
        return FieldDescriptorProto.newBuilder()
                .setName(name)
                .setNumber(number)
                .setType(type)
                .setLabel(label);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "thrift | {file: e.thrift, type: E} | 0D 0001 0B 08 00000002 00000001 6B 00000001 00000001 6B 00000002 00",
                "thrift | {file: e.thrift, type: E, protocol: compact} | 1B 02 85 01 6B 02 01 6B 04 00",
                "avro | {file: e.avsc} | 04 02 6B 02 02 6B 04 00",
                "json | {file: e.json} | 7B 22 6D 22 3A 7B 22 6B 22 3A 31 2C 22 5C 75 30 30 36 62 22 3A 32 7D 7D",
                "protobuf | {file: e.desc, type: E} | 0A 05 0A 01 6B 10 01 0A 05 0A 01 6B 10 02",
            })
    void translate_keyTwice_keepsTheLastValue(String format, String schema, String message) throws IOException {
        Path spec = Files.writeString(folder.resolve("events.yaml"), """
                apiVersion: thalweg/v1
                kind: Ingest
                name: events
                source: {topic: events, format: %s, schema: %s}
                sink: {parquet: table}
                """.formatted(format, schema));
        IngestPlan plan =
                IngestPlan.of(Definitions.load(List.of(spec)).ingests().get(0));
        byte[] bytes = HexFormat.of().parseHex(message.replace(" ", ""));
        RawBlock block = new RawBlock("events", null);
        block.add(bytes, 0, bytes.length, bytes.length, 0);

        try (Translator<ColumnBatch> translator =
                new Translator<>(FunctionHost.here("test"), plan, new RowForm.Columns().open(plan), null)) {
            assertThat(translator.message(block, 0, 0, bytes, 0, bytes.length)).isTrue();
            assertThat(translator.end()).isEqualTo(1);
            List<LeafColumn> leaves = translator.take().leaves();

            assertThat(leaves.get(0).entries()).isEqualTo(1);
            assertThat(leaves.get(0).to(0)).isEqualTo(1);
            assertThat(leaves.get(0).data()[0]).isEqualTo((byte) 'k');
            assertThat(leaves.get(1).longAt(0)).isEqualTo(2);
        }
    }
}
