package io.thalweg.server.read;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import io.thalweg.api.feast.GetOnlineFeaturesRequest;
import io.thalweg.api.v1.ReadFeaturesRequest;
import io.thalweg.api.v1.ReadHistoryRequest;
import io.thalweg.qalm.Call;
import java.io.IOException;
import java.util.Arrays;

/**
 * How much a read asks for, estimated from the bytes of its body before it is parsed or admitted. It determines the cost, and
 * whether the read names more features than there are.
 *
 * @param keys estimated: text in a body may look like keys
 * @param features exact for valid bodies; 0 if the body names none
 */
public record ReadSize(long keys, long features) {
    /** The number of values per slot of load management: about a millisecond of reading and encoding. */
    private static final int VALUES_PER_SLOT = 5_000;

    /** A scan decodes whole rows; decoding one takes as long as reading this many values. */
    private static final int SCANNED_ROW_VALUES = 5;

    /** Far more than the greatest weight needs. */
    private static final double KEYS_MAX = 1e9;

    private static final int GRPC_PREFIX = 5;
    private static final int KEY_BYTES = 32;
    private static final byte[] FEATURES = {'"', 'f', 'e', 'a', 't', 'u', 'r', 'e', 's', '"'};

    /**
     * Returns keys × features in slots.
     *
     * @param all the number of features that are read if the request names none
     * @return 1 to {@link Call#WEIGHT_MAX}
     */
    public int weight(int all) {
        long slots = Math.max(1, keys) * Math.max(1, features == 0 ? all : features) / VALUES_PER_SLOT;
        return (int) Math.min(Call.WEIGHT_MAX, 1 + slots);
    }

    /** Estimates the body of {@code POST /v1/views/NAME:read}: each object except the outermost is a key. */
    public static ReadSize ofJson(byte[] body) {
        return new ReadSize(count(body, '{', 0, body.length) - 1, features(body));
    }

    /** Estimates the body of {@code POST /v1/views/NAME:history}, assuming the greatest number of rows. */
    public static ReadSize ofHistory(byte[] body) {
        return new ReadSize(HistoryRequest.LAST_MAX, features(body));
    }

    /**
     * Estimates a scan, whose number of rows is not known in advance.
     *
     * @param keys cells of its region times the values of the other entities that it names
     */
    public static ReadSize ofScan(double keys, int features, int all) {
        int answered = Math.max(1, features == 0 ? all : features);
        double rows = keys * Math.max(SCANNED_ROW_VALUES, answered) / answered;
        return new ReadSize((long) Math.min(KEYS_MAX, rows), features);
    }

    /** Estimates the body of {@code POST /get-online-features}: its values are in one list per join key. */
    public static ReadSize ofFeast(byte[] body) {
        long features = features(body);
        return new ReadSize(count(body, ',', 0, body.length) - features + 1, features);
    }

    /** Counts the names in the list after {@code "features":}; names have no commas. */
    private static long features(byte[] body) {
        for (int at = 0; at + FEATURES.length <= body.length; at++) {
            if (Arrays.equals(body, at, at + FEATURES.length, FEATURES, 0, FEATURES.length)) {
                int list = skip(body, skip(body, at + FEATURES.length, ':'), '[');
                if (list > 0) {
                    int end = list;
                    while (end < body.length && body[end] != ']') {
                        end++;
                    }
                    return 1 + count(body, ',', list, end);
                }
            }
        }
        return 0;
    }

    /** Returns the position after blanks and {@code wanted}; -1 if something else follows. */
    private static int skip(byte[] body, int from, char wanted) {
        int at = from;
        while (at >= 0 && at < body.length && body[at] <= ' ') {
            at++;
        }
        return at >= 0 && at < body.length && body[at] == wanted ? at + 1 : -1;
    }

    private static long count(byte[] body, char wanted, int from, int to) {
        long found = 0;
        for (int at = from; at < to; at++) {
            found += body[at] == wanted ? 1 : 0;
        }
        return found;
    }

    /** Estimates the body of a gRPC read: a prefix of five bytes, then the message. */
    public static ReadSize ofGrpc(byte[] body) {
        return ofMessage(
                body, ReadFeaturesRequest.ENTITIES_FIELD_NUMBER, ReadFeaturesRequest.FEATURES_FIELD_NUMBER, false);
    }

    /** Estimates the body of a gRPC read of history, as {@link #ofHistory}. */
    public static ReadSize ofGrpcHistory(byte[] body) {
        ReadSize named =
                ofMessage(body, ReadHistoryRequest.KEY_FIELD_NUMBER, ReadHistoryRequest.FEATURES_FIELD_NUMBER, false);
        return new ReadSize(HistoryRequest.LAST_MAX, named.features());
    }

    /** Estimates the body of a gRPC read through Feast's service, whose names are in a message of their own. */
    public static ReadSize ofFeastGrpc(byte[] body) {
        return ofMessage(
                body,
                GetOnlineFeaturesRequest.ENTITIES_FIELD_NUMBER,
                GetOnlineFeaturesRequest.FEATURES_FIELD_NUMBER,
                true);
    }

    private static ReadSize ofMessage(byte[] body, int keyField, int featureField, boolean nested) {
        if (body.length < GRPC_PREFIX || body[0] != 0) {
            return new ReadSize(body.length / KEY_BYTES, 0); // compressed, so its fields are unknown
        }
        long keys = 0;
        long features = 0;
        CodedInputStream in = CodedInputStream.newInstance(body, GRPC_PREFIX, body.length - GRPC_PREFIX);
        try {
            for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
                int field = WireFormat.getTagFieldNumber(tag);
                if (field == featureField && nested) {
                    features += names(in);
                    continue;
                }
                keys += field == keyField ? 1 : 0;
                features += field == featureField ? 1 : 0;
                if (!in.skipField(tag)) {
                    break;
                }
            }
        } catch (IOException e) {
            // Not a valid message; the service refuses it.
        }
        return new ReadSize(keys, features);
    }

    private static long names(CodedInputStream in) throws IOException {
        int limit = in.pushLimit(in.readRawVarint32());
        long names = 0;
        for (int tag = in.readTag(); tag != 0 && in.skipField(tag); tag = in.readTag()) {
            names++;
        }
        in.popLimit(limit);
        return names;
    }
}
