package io.thalweg.server.read;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import io.thalweg.api.v1.EntityKey;
import io.thalweg.api.v1.EntityValue;
import io.thalweg.api.v1.ReadFeaturesRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a {@code ReadFeaturesRequest}, decoded without the messages around them: a request has up to a thousand keys, and creating
 * five objects for each takes longer than finding their rows.
 *
 * @param keys as {@link GrpcMessages#values} returns them
 * @param rest the request without its keys
 */
record GrpcKeys(List<Map<String, Object>> keys, ReadFeaturesRequest rest) {
    private static final int KEY = lengthDelimited(ReadFeaturesRequest.ENTITIES_FIELD_NUMBER);
    private static final int ENTRY = lengthDelimited(EntityKey.VALUES_FIELD_NUMBER);
    // An entry of a map is a message of these two.
    private static final int NAME = lengthDelimited(1);
    private static final int VALUE = lengthDelimited(2);
    private static final int TEXT = lengthDelimited(EntityValue.STRING_VALUE_FIELD_NUMBER);
    private static final int NUMBER = varint(EntityValue.INT64_VALUE_FIELD_NUMBER);
    private static final int BOOL = varint(EntityValue.BOOL_VALUE_FIELD_NUMBER);

    private static int lengthDelimited(int field) {
        return field << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
    }

    private static int varint(int field) {
        return field << 3 | WireFormat.WIRETYPE_VARINT;
    }

    /**
     * Decodes a message.
     *
     * @throws InvalidProtocolBufferException where the message's own parser throws it
     */
    static GrpcKeys of(byte[] message) throws IOException {
        CodedInputStream in = CodedInputStream.newInstance(message);
        List<Map<String, Object>> keys = new ArrayList<>();
        ByteArrayOutputStream rest = new ByteArrayOutputStream();
        while (true) {
            int from = in.getTotalBytesRead();
            int tag = in.readTag();
            if (tag == 0) {
                return new GrpcKeys(keys, ReadFeaturesRequest.parseFrom(rest.toByteArray()));
            }
            if (tag == KEY) {
                keys.add(key(in));
            } else {
                skip(in, tag);
                rest.write(message, from, in.getTotalBytesRead() - from);
            }
        }
    }

    private static Map<String, Object> key(CodedInputStream in) throws IOException {
        Map<String, Object> values = new HashMap<>();
        int end = in.pushLimit(in.readRawVarint32());
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            if (tag == ENTRY) {
                entry(in, values);
            } else {
                skip(in, tag);
            }
        }
        in.popLimit(end);
        return values;
    }

    private static void entry(CodedInputStream in, Map<String, Object> values) throws IOException {
        String name = "";
        Object value = null;
        int end = in.pushLimit(in.readRawVarint32());
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            if (tag == NAME) {
                name = in.readStringRequireUtf8();
            } else if (tag == VALUE) {
                value = value(in, value);
            } else {
                skip(in, tag);
            }
        }
        in.popLimit(end);
        if (value == null) {
            values.remove(name);
        } else {
            values.put(name, value);
        }
    }

    /** Returns the last value that is set; {@code before} if none is. */
    private static @Nullable Object value(CodedInputStream in, @Nullable Object before) throws IOException {
        Object value = before;
        int end = in.pushLimit(in.readRawVarint32());
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            if (tag == TEXT) {
                value = in.readStringRequireUtf8();
            } else if (tag == NUMBER) {
                value = in.readInt64();
            } else if (tag == BOOL) {
                value = in.readBool();
            } else {
                skip(in, tag);
            }
        }
        in.popLimit(end);
        return value;
    }

    private static void skip(CodedInputStream in, int tag) throws IOException {
        if (!in.skipField(tag)) {
            throw new InvalidProtocolBufferException("a group ends that has not begun");
        }
    }
}
