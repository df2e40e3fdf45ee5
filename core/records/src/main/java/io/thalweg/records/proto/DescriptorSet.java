package io.thalweg.records.proto;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.ExtensionRegistry;
import com.google.protobuf.InvalidProtocolBufferException;
import io.thalweg.records.schema.SchemaException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The linked files of a descriptor set. */
final class DescriptorSet {
    private static final String HOW_TO = "write it with protoc --include_imports --descriptor_set_out";

    private final Map<String, FileDescriptorProto> sources = new LinkedHashMap<>();
    private final Map<String, FileDescriptor> files = new LinkedHashMap<>();
    private final Set<String> imported = new HashSet<>();

    private DescriptorSet(FileDescriptorSet set) {
        set.getFileList().forEach(file -> sources.put(file.getName(), file));
        Set<String> open = new HashSet<>();
        sources.keySet().forEach(name -> link(name, name, open));
    }

    /**
     * Links a descriptor set.
     *
     * @throws SchemaException if it is malformed or lacks an import
     */
    static DescriptorSet of(byte[] bytes) {
        try {
            FileDescriptorSet set = FileDescriptorSet.parseFrom(bytes, ExtensionRegistry.getEmptyRegistry());
            if (set.getFileCount() == 0) {
                throw new SchemaException("the descriptor set has no files; " + HOW_TO);
            }
            return new DescriptorSet(set);
        } catch (InvalidProtocolBufferException e) {
            throw new SchemaException("not a descriptor set: " + e.getMessage() + "; " + HOW_TO, e);
        }
    }

    private FileDescriptor link(String name, String importer, Set<String> open) {
        FileDescriptor linked = files.get(name);
        if (linked != null) {
            return linked;
        }
        FileDescriptorProto source = sources.get(name);
        if (source == null) {
            throw new SchemaException(
                    "'" + importer + "' imports '" + name + "', which the descriptor set lacks; " + HOW_TO);
        }
        if (!open.add(name)) {
            throw new SchemaException("'" + name + "' imports itself");
        }
        List<FileDescriptor> imports = new ArrayList<>();
        for (String dependency : source.getDependencyList()) {
            imports.add(link(dependency, name, open));
            imported.add(dependency);
        }
        FileDescriptor file = build(source, imports);
        files.put(name, file);
        return file;
    }

    private static FileDescriptor build(FileDescriptorProto source, List<FileDescriptor> imports) {
        try {
            return FileDescriptor.buildFrom(source, imports.toArray(FileDescriptor[]::new));
        } catch (DescriptorValidationException e) {
            throw new SchemaException("the descriptor of '" + source.getName() + "' is invalid: " + e.getMessage(), e);
        }
    }

    /**
     * Returns the message with a name, or the only one whose name ends in {@code .name}. For null, returns the only message in
     * the files that no other file imports.
     *
     * @throws SchemaException if there is no such message, or several
     */
    Descriptor message(@Nullable String name) {
        if (name == null) {
            List<Descriptor> found = files.values().stream()
                    .filter(file -> !imported.contains(file.getName()))
                    .flatMap(file -> file.getMessageTypes().stream())
                    .toList();
            return only(found, "the descriptor set has no message", "the descriptor set has several messages");
        }
        List<Descriptor> all = files.values().stream()
                .flatMap(file -> file.getMessageTypes().stream())
                .flatMap(DescriptorSet::withNested)
                .toList();
        for (Descriptor message : all) {
            if (message.getFullName().equals(name)) {
                return message;
            }
        }
        List<Descriptor> found = all.stream()
                .filter(message -> message.getFullName().endsWith("." + name))
                .toList();
        return only(
                found, "no message is named '" + name + "'; there are " + names(all), "'" + name + "' is ambiguous");
    }

    private static Stream<Descriptor> withNested(Descriptor message) {
        return message.getOptions().getMapEntry()
                ? Stream.empty()
                : Stream.concat(
                        Stream.of(message), message.getNestedTypes().stream().flatMap(DescriptorSet::withNested));
    }

    private static Descriptor only(List<Descriptor> found, String none, String several) {
        if (found.isEmpty()) {
            throw new SchemaException(none);
        }
        if (found.size() > 1) {
            throw new SchemaException(several + "; name one of them as 'type': " + names(found));
        }
        return found.get(0);
    }

    private static String names(List<Descriptor> messages) {
        return messages.stream().map(Descriptor::getFullName).sorted().collect(Collectors.joining(", "));
    }
}
