package io.thalweg.records.proto;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFault;
import io.thalweg.records.RecordReader;
import io.thalweg.records.RecordWriter;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.translate.Translation;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Reads messages that follow the indexes of their type in the writer's file: the number of indexes, then the index of a message,
 * of a message nested in it, and so on, all as zigzag numbers. The single index 0 is written as zero indexes.
 *
 * <p><b>Threads.</b> One.
 */
public final class IndexedReader implements RecordReader {
    private static final int LONGEST_NUMBER = 5;

    private final String name;
    private final int[] indexes;
    private final ProtoReader reader;
    private byte[] data = {};
    private int at;
    private int end;

    private IndexedReader(String name, int[] indexes, ProtoReader reader) {
        this.name = name;
        this.indexes = indexes;
        this.reader = reader;
    }

    /**
     * Creates a reader of messages of the table's type, by its name.
     *
     * @param writer the descriptor set whose last file the messages were written with
     * @throws SchemaException if the writer's file has no such type
     */
    public static IndexedReader of(byte[] writer, ProtoSchema table, Translation translation, Limits limits) {
        FileDescriptorProto file = ProtoFiles.last(writer);
        String prefix = file.getPackage().isEmpty() ? "" : file.getPackage() + ".";
        List<Integer> found = find(file.getMessageTypeList(), prefix, table.name());
        if (found.isEmpty()) {
            throw new SchemaException("the file that the messages were written with has no message " + table.name());
        }
        Collections.reverse(found);
        int[] indexes = found.stream().mapToInt(Integer::intValue).toArray();
        return new IndexedReader(table.name(), indexes, table.reader(translation, limits));
    }

    /** Returns the indexes of a message, the last first; empty if it is not found. */
    private static List<Integer> find(List<DescriptorProto> among, String prefix, String name) {
        for (int i = 0; i < among.size(); i++) {
            String candidate = prefix + among.get(i).getName();
            if (candidate.equals(name)) {
                return new ArrayList<>(List.of(i));
            }
            List<Integer> nested = find(among.get(i).getNestedTypeList(), candidate + ".", name);
            if (!nested.isEmpty()) {
                nested.add(i);
                return nested;
            }
        }
        return new ArrayList<>();
    }

    /** Returns the bytes between the id of the schema and a message of a type. */
    public static byte[] indexes(ProtoSchema schema) {
        List<Integer> indexes = new ArrayList<>();
        for (Descriptor type = schema.type(); type != null; type = type.getContainingType()) {
            indexes.add(0, type.getIndex());
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        if (indexes.equals(List.of(0))) {
            out.write(0);
        } else {
            writeZigzag(indexes.size(), out);
            indexes.forEach(index -> writeZigzag(index, out));
        }
        return out.toByteArray();
    }

    private static void writeZigzag(int value, ByteArrayOutputStream out) {
        int left = value << 1;
        for (; left >= 0x80; left >>>= 7) {
            out.write((left & 0x7F) | 0x80);
        }
        out.write(left);
    }

    @Override
    public void read(byte[] data, int from, int to, RecordWriter writer) {
        this.data = data;
        at = from;
        end = to;
        checkIndexes();
        reader.read(data, at, to, writer);
        this.data = new byte[0];
    }

    private void checkIndexes() {
        int count = nextZigzag();
        if (count == 0) {
            require(0, 0, 1);
            return;
        }
        for (int i = 0; i < count; i++) {
            require(i, nextZigzag(), count);
        }
    }

    private void require(int i, int index, int count) {
        if (count != indexes.length || index != indexes[i]) {
            throw new BadRecordException(
                    RecordFault.SCHEMA_INCOMPATIBLE,
                    "the message must be of type %s, which has the indexes %s in its file, and names another type"
                            .formatted(name, IntStream.of(indexes).boxed().toList()));
        }
    }

    private int nextZigzag() {
        int value = 0;
        for (int i = 0; i < LONGEST_NUMBER && at < end; i++) {
            byte next = data[at++];
            value |= (next & 0x7F) << (7 * i);
            if (next >= 0) {
                return (value >>> 1) ^ -(value & 1);
            }
        }
        throw BadRecordException.undecodable("the message ends within the indexes of its type, or they are too long");
    }
}
