package io.thalweg.records.proto;

import com.google.protobuf.Descriptors.Descriptor;
import io.thalweg.records.Limits;
import io.thalweg.records.MessageRules;
import io.thalweg.records.RecordFormat;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.translate.Translation;
import io.thalweg.records.write.ProtoBytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A message type of a descriptor set, as {@code protoc --include_imports --descriptor_set_out} writes it.
 *
 * <p><b>Types.</b>
 *
 * <table>
 * <caption>Types of Protocol Buffers and their neutral ones</caption>
 * <tr><th>Protocol Buffers</th><th>neutral</th></tr>
 * <tr><td>int32, sint32, sfixed32</td><td>32-bit integer</td></tr>
 * <tr><td>all other integers</td><td>64-bit integer; a value beyond 2<sup>63</sup>-1 is out of range</td></tr>
 * <tr><td>enum</td><td>symbols; a number without a name becomes its digits</td></tr>
 * <tr><td>message</td><td>struct</td></tr>
 * <tr><td>repeated, map</td><td>list, map; empty where the message has none</td></tr>
 * <tr><td>google.protobuf.Timestamp</td><td>timestamp in UTC</td></tr>
 * <tr><td>google.protobuf.Duration</td><td>64-bit integer: microseconds</td></tr>
 * <tr><td>google.protobuf.StringValue and its like</td><td>the scalar</td></tr>
 * </table>
 *
 * <p><b>Missing fields.</b> A field without presence in proto3 takes its default, as does a field of proto2 that declares one.
 * Any other field that is not required is null: messages, members of a oneof, and fields marked {@code optional}.
 *
 * <p><b>Groups</b> are skipped; they cannot be selected. Extensions are unknown fields.
 *
 * <p><b>Threads.</b> Immutable and safe to share.
 */
public final class ProtoSchema implements RecordFormat {
    private final Descriptor type;
    private final Struct struct;

    private ProtoSchema(Descriptor type) {
        this.type = type;
        this.struct = new ProtoTypes().struct(type);
    }

    /**
     * Reads a schema from a file.
     *
     * @param type name of the message, qualified as far as needed to be unambiguous; null for the only one
     * @throws SchemaException if the file cannot be read, is not a descriptor set or lacks an import; if the type does not exist
     *     or, without a type, if there are several; or if the type is not supported
     */
    public static ProtoSchema of(Path descriptorSet, @Nullable String type) {
        try {
            return of(Files.readAllBytes(descriptorSet), type);
        } catch (NoSuchFileException e) {
            throw new SchemaException("cannot read descriptor set " + descriptorSet + ": there is no such file", e);
        } catch (IOException e) {
            throw new SchemaException("cannot read descriptor set " + descriptorSet + ": " + e, e);
        } catch (SchemaException e) {
            throw new SchemaException(descriptorSet + ": " + e.getMessage(), e);
        }
    }

    /**
     * Reads a schema from the bytes of a file.
     *
     * @see #of(Path, String)
     */
    public static ProtoSchema of(byte[] descriptorSet, @Nullable String type) {
        return new ProtoSchema(DescriptorSet.of(descriptorSet).message(type));
    }

    /** The message as a neutral struct; its fields are in the order of the schema. */
    @Override
    public Struct struct() {
        return struct;
    }

    Descriptor type() {
        return type;
    }

    /** The full name of the message. */
    public String name() {
        return type.getFullName();
    }

    /**
     * Creates a reader.
     *
     * @param translation of {@link #struct}; used by this reader only, because it holds state
     */
    @Override
    public ProtoReader reader(Translation translation, Limits limits) {
        return new ProtoReader(WireMessages.of(type, translation.plan()), limits);
    }

    /**
     * Creates a writer of messages. Enums accept names, and digits for numbers without a name. Fields of a type that contains
     * itself can only be absent.
     */
    @Override
    public ProtoBytes writer() {
        return new ProtoBytes(struct, layout());
    }

    @Override
    public MessageRules rules() {
        return layout().rules();
    }

    private ProtoSchemaLayout layout() {
        return new ProtoSchemaLayout(type, struct);
    }
}
