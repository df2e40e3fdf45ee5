package io.thalweg.records.thrift;

import io.thalweg.records.Limits;
import io.thalweg.records.MessageRules;
import io.thalweg.records.RecordFormat;
import io.thalweg.records.RecordReader;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.translate.Translation;
import io.thalweg.records.write.ByteRecordWriter;
import io.thalweg.records.write.ThriftBytes;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The schema of messages that are one struct, union or exception of a Thrift IDL file.
 *
 * <p><b>Types.</b> Sets become lists, and unions become structs of optional fields. Enums become the names of their symbols,
 * numbers without a symbol become their digits. Maps whose key is not a scalar become lists of structs {@code {key, value}}. A
 * struct within itself becomes {@link io.thalweg.records.schema.FieldType.Recursive}, which can only be skipped. An annotation
 * {@code (thalweg.type = "...")} on a field, a type or a typedef gives a meaning to a type that IDL cannot express:
 * {@code timestamp_s}, {@code timestamp_ms} and {@code timestamp_us} to {@code i64}, {@code date} (days since 1970) to
 * {@code i32}, {@code uuid} to {@code binary} of 16 bytes.
 *
 * <p><b>Missing data.</b> Only {@code required} fields must be present. Other fields take their default if it is a scalar or an
 * empty container, and otherwise have no value: defaults with elements, and those of structs and of fields of unions, are
 * ignored.
 *
 * <p><b>Threads.</b> Immutable and safe to share.
 */
public final class ThriftSchema implements Serializable {
    private static final long serialVersionUID = 1L;

    private final String root;
    private final LinkedHashMap<String, ThriftStruct> structs;
    private final Struct struct;

    private ThriftSchema(Map<String, ThriftStruct> structs) {
        this.structs = new LinkedHashMap<>(structs);
        this.root = structs.keySet().iterator().next();
        this.struct = NeutralTypes.of(root, structs);
    }

    /**
     * Reads a schema from a file.
     *
     * @param file main file; includes are looked up next to the including file, then next to this one
     * @param type of the messages, {@code Event} or {@code common.Event}; null for the only struct of the file
     * @throws SchemaException if the files are not valid IDL or lack the type; the message names the position and a remedy
     */
    public static ThriftSchema of(Path file, @Nullable String type) {
        return parse(file.normalize().toString(), ThriftSchema::text, type);
    }

    /**
     * Reads a schema from texts.
     *
     * @param file name of the file with the type
     * @param texts the text of each file by its name, or null; the name of an included file is the path in the include, resolved
     *     against the name of the including file
     * @param type as in {@link #of}
     * @throws SchemaException as {@link #of}
     */
    public static ThriftSchema parse(String file, Function<String, @Nullable String> texts, @Nullable String type) {
        return new ThriftSchema(ThriftModel.of(IdlFiles.parse(file, texts), type));
    }

    /** Reads a file. Malformed text is accepted, because comments in old files may have any encoding. */
    private static @Nullable String text(String file) {
        Path path = Path.of(file);
        if (!Files.isRegularFile(path)) {
            return null;
        }
        try {
            return new String(Files.readAllBytes(path), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new SchemaException("cannot read " + file + ": " + e.getMessage(), new UncheckedIOException(e));
        }
    }

    /** The neutral form. */
    public Struct struct() {
        return struct;
    }

    /**
     * Creates a reader.
     *
     * <p>The reader skips fields that are not in the schema or not selected, whatever their type. A selected or required field
     * with another type in the message is {@code WRONG_TYPE}, even if the value would fit. A field that occurs twice, a union
     * with several fields, and a length beyond the end of the message are {@code UNDECODABLE}. UUIDs are big-endian, as
     * specified; Thrift's own library for Java up to 0.22 writes them in another order. The reader reports the entries of a map in the order
     * of the message, even if a key repeats.
     *
     * @param translation of {@link #struct}, used by this reader only
     * @param limits only {@code depth} is used: the levels of structs, lists, sets and maps, of which the message itself is the
     *     first; more than 128 count as 128
     */
    public RecordReader reader(Protocol protocol, Translation translation, Limits limits) {
        StructNode node = new NodeCompiler(structs, protocol).struct(root, translation.plan());
        return switch (protocol) {
            case BINARY -> new BinaryReader(node, limits);
            case COMPACT -> new CompactReader(node, limits);
        };
    }

    /** Returns the format with this schema and a protocol. */
    public RecordFormat format(Protocol protocol) {
        return new ThriftFormat(this, protocol);
    }

    private record ThriftFormat(ThriftSchema schema, Protocol protocol) implements RecordFormat {
        @Override
        public Struct struct() {
            return schema.struct();
        }

        @Override
        public RecordReader reader(Translation translation, Limits limits) {
            return schema.reader(protocol, translation, limits);
        }

        @Override
        public ByteRecordWriter writer() {
            return schema.writer(protocol);
        }

        @Override
        public MessageRules rules() {
            return MessageRules.ofUnions(schema.layout().unions());
        }
    }

    private ThriftSchemaLayout layout() {
        return new ThriftSchemaLayout(structs, root, struct);
    }

    /**
     * Creates a writer of messages.
     *
     * @throws SchemaException if the schema has a map whose keys are not scalars
     */
    public ThriftBytes writer(Protocol protocol) {
        return protocol == Protocol.BINARY
                ? ThriftBytes.binary(struct, layout())
                : ThriftBytes.compact(struct, layout());
    }
}
