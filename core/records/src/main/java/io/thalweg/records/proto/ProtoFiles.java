package io.thalweg.records.proto;

import com.google.protobuf.AnyProto;
import com.google.protobuf.ApiProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DurationProto;
import com.google.protobuf.EmptyProto;
import com.google.protobuf.ExtensionRegistry;
import com.google.protobuf.FieldMaskProto;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.SourceContextProto;
import com.google.protobuf.StructProto;
import com.google.protobuf.TimestampProto;
import com.google.protobuf.TypeProto;
import com.google.protobuf.WrappersProto;
import io.thalweg.records.schema.SchemaException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Builds descriptor sets from single files. The last file of a set is the main one. */
public final class ProtoFiles {
    /** The files that others may import without supplying them. */
    private static final Map<String, FileDescriptor> WELL_KNOWN = Stream.of(
                    AnyProto.getDescriptor(),
                    ApiProto.getDescriptor(),
                    DurationProto.getDescriptor(),
                    EmptyProto.getDescriptor(),
                    FieldMaskProto.getDescriptor(),
                    SourceContextProto.getDescriptor(),
                    StructProto.getDescriptor(),
                    TimestampProto.getDescriptor(),
                    TypeProto.getDescriptor(),
                    WrappersProto.getDescriptor())
            .collect(Collectors.toMap(FileDescriptor::getName, Function.identity()));

    private ProtoFiles() {}

    /**
     * Builds a descriptor set.
     *
     * @param file a serialized {@code FileDescriptorProto}
     * @param imports other files by the name under which they are imported; those of Google may be missing
     * @throws SchemaException if one of them is not a descriptor
     */
    public static byte[] set(byte[] file, Map<String, byte[]> imports) {
        FileDescriptorSet.Builder set = FileDescriptorSet.newBuilder();
        Set<String> added = new HashSet<>();
        imports.forEach((name, imported) ->
                add(parsed(imported).toBuilder().setName(name).build(), set, added));
        add(parsed(file), set, added);
        return set.build().toByteArray();
    }

    private static void add(FileDescriptorProto file, FileDescriptorSet.Builder set, Set<String> added) {
        for (String dependency : file.getDependencyList()) {
            FileDescriptor wellKnown = WELL_KNOWN.get(dependency);
            if (wellKnown != null && added.add(dependency)) {
                add(wellKnown.toProto(), set, added);
            }
        }
        added.add(file.getName());
        set.addFile(file);
    }

    private static FileDescriptorProto parsed(byte[] file) {
        try {
            return FileDescriptorProto.parseFrom(file, ExtensionRegistry.getEmptyRegistry());
        } catch (InvalidProtocolBufferException e) {
            throw new SchemaException("it is not a descriptor: " + e.getMessage(), e);
        }
    }

    /** Returns the main file of a set. */
    static FileDescriptorProto last(byte[] set) {
        try {
            List<FileDescriptorProto> files = FileDescriptorSet.parseFrom(set, ExtensionRegistry.getEmptyRegistry())
                    .getFileList();
            if (!files.isEmpty()) {
                return files.get(files.size() - 1);
            }
        } catch (InvalidProtocolBufferException e) {
            throw new SchemaException("not a descriptor set: " + e.getMessage(), e);
        }
        throw new SchemaException("the descriptor set has no files");
    }

    /**
     * Returns the main file of a set, which must not import other files than those of Google.
     *
     * @return a serialized {@code FileDescriptorProto}
     * @throws SchemaException if it imports another file
     */
    public static byte[] only(byte[] set) {
        FileDescriptorProto file = last(set);
        for (String dependency : file.getDependencyList()) {
            if (!WELL_KNOWN.containsKey(dependency)) {
                throw new SchemaException("it imports '" + dependency
                        + "', and a schema that refers to others cannot be registered in this version");
            }
        }
        return file.toByteArray();
    }
}
