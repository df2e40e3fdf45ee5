package io.thalweg.records.proto;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Splits messages into their fields, and builds new ones. */
final class WireChunks {
    private WireChunks() {}

    /** Returns the fields of a message, each with its tag. */
    static List<byte[]> of(byte[] message) {
        try {
            List<byte[]> chunks = new ArrayList<>();
            CodedInputStream in = CodedInputStream.newInstance(message);
            while (!in.isAtEnd()) {
                int from = in.getTotalBytesRead();
                in.skipField(in.readTag());
                chunks.add(Arrays.copyOfRange(message, from, in.getTotalBytesRead()));
            }
            return chunks;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static byte[] join(List<byte[]> chunks) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        chunks.forEach(out::writeBytes);
        return out.toByteArray();
    }

    /** Returns a field of any wire type. */
    static byte[] field(Random random, int number) {
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            CodedOutputStream out = CodedOutputStream.newInstance(bytes);
            switch (random.nextInt(5)) {
                case 0 -> out.writeUInt64(number, random.nextLong());
                case 1 -> out.writeFixed64(number, random.nextLong());
                case 2 -> out.writeByteArray(number, new byte[random.nextInt(5)]);
                case 3 -> out.writeFixed32(number, random.nextInt());
                default -> {
                    out.writeTag(number, 3);
                    out.writeRawBytes(field(random, 1 + random.nextInt(100)));
                    out.writeTag(number, 4);
                }
            }
            out.flush();
            return bytes.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
