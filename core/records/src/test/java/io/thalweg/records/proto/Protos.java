package io.thalweg.records.proto;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.DurationProto;
import com.google.protobuf.TextFormat;
import com.google.protobuf.TimestampProto;
import com.google.protobuf.WrappersProto;
import io.thalweg.records.Limits;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Translation;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Builds schemas from text, and messages byte by byte. */
final class Protos {
    /** A message with a field of each shape, {@code Shapes}. */
    static final String SHAPES = """
            name: 'shapes.proto' package: 'demo' syntax: 'proto3'
            dependency: 'google/protobuf/timestamp.proto' dependency: 'google/protobuf/duration.proto'
            dependency: 'google/protobuf/wrappers.proto'
            message_type { name: 'Shapes'
              field { name: 'number' number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL }
              field { name: 'text' number: 2 type: TYPE_STRING label: LABEL_OPTIONAL }
              field { name: 'inner' number: 3 type: TYPE_MESSAGE type_name: '.demo.Inner' label: LABEL_OPTIONAL }
              field { name: 'numbers' number: 4 type: TYPE_SINT32 label: LABEL_REPEATED }
              field { name: 'inners' number: 5 type: TYPE_MESSAGE type_name: '.demo.Inner' label: LABEL_REPEATED }
              field { name: 'map' number: 6 type: TYPE_MESSAGE type_name: '.demo.Shapes.MapEntry' label: LABEL_REPEATED }
              field { name: 'one_text' number: 7 type: TYPE_STRING label: LABEL_OPTIONAL oneof_index: 0 }
              field { name: 'one_inner' number: 8 type: TYPE_MESSAGE type_name: '.demo.Inner' label: LABEL_OPTIONAL oneof_index: 0 }
              field { name: 'time' number: 9 type: TYPE_MESSAGE type_name: '.google.protobuf.Timestamp' label: LABEL_OPTIONAL }
              field { name: 'lasts' number: 10 type: TYPE_MESSAGE type_name: '.google.protobuf.Duration' label: LABEL_OPTIONAL }
              field { name: 'boxed' number: 11 type: TYPE_MESSAGE type_name: '.google.protobuf.Int64Value' label: LABEL_OPTIONAL }
              field { name: 'color' number: 12 type: TYPE_ENUM type_name: '.demo.Color' label: LABEL_OPTIONAL }
              field { name: 'big' number: 13 type: TYPE_UINT64 label: LABEL_OPTIONAL }
              field { name: 'maybe' number: 14 type: TYPE_BOOL label: LABEL_OPTIONAL proto3_optional: true oneof_index: 1 }
              field { name: 'floats' number: 15 type: TYPE_FLOAT label: LABEL_REPEATED }
              field { name: 'far' number: 536870911 type: TYPE_BYTES label: LABEL_OPTIONAL }
              field { name: 'flags' number: 16 type: TYPE_MESSAGE type_name: '.demo.Shapes.FlagsEntry' label: LABEL_REPEATED }
              nested_type { name: 'FlagsEntry' options { map_entry: true }
                field { name: 'key' number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL }
                field { name: 'value' number: 2 type: TYPE_BOOL label: LABEL_OPTIONAL } }
              nested_type { name: 'MapEntry' options { map_entry: true }
                field { name: 'key' number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
                field { name: 'value' number: 2 type: TYPE_MESSAGE type_name: '.demo.Inner' label: LABEL_OPTIONAL } }
              oneof_decl { name: 'one' } oneof_decl { name: '_maybe' } }
            message_type { name: 'Inner'
              field { name: 'a' number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL }
              field { name: 'b' number: 2 type: TYPE_STRING label: LABEL_OPTIONAL }
              field { name: 'list' number: 3 type: TYPE_FIXED32 label: LABEL_REPEATED } }
            enum_type { name: 'Color' value { name: 'RED' number: 0 } value { name: 'BLUE' number: 5 } }
            """;

    private Protos() {}

    /** Writes a message. */
    interface Content {
        void write(CodedOutputStream out) throws IOException;
    }

    static byte[] message(Content content) {
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            CodedOutputStream out = CodedOutputStream.newInstance(bytes);
            content.write(out);
            out.flush();
            return bytes.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a descriptor set of one file in the text format, with the imports that it may use. */
    static byte[] descriptors(String file) {
        try {
            FileDescriptorProto.Builder parsed = FileDescriptorProto.newBuilder();
            TextFormat.merge(file, parsed);
            return FileDescriptorSet.newBuilder()
                    .addFile(TimestampProto.getDescriptor().toProto())
                    .addFile(DurationProto.getDescriptor().toProto())
                    .addFile(WrappersProto.getDescriptor().toProto())
                    .addFile(parsed)
                    .build()
                    .toByteArray();
        } catch (TextFormat.ParseException e) {
            throw new IllegalArgumentException(e);
        }
    }

    static ProtoSchema schema(String file, String type) {
        return ProtoSchema.of(descriptors(file), type);
    }

    /** Reads one message as a whole. */
    static Map<String, @Nullable Object> read(ProtoSchema schema, byte[] message) {
        Translation translation = Translation.of(schema.struct(), Selection.ALL);
        NaiveRows rows = new NaiveRows(translation.target());
        schema.reader(translation, Limits.DEFAULT).read(message, 0, message.length, rows);
        return rows.take();
    }
}
