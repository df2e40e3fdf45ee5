package io.thalweg.records.thrift;

/** The types of values in a message, with their codes and the minimum number of bytes of a value. */
enum ThriftWireType {
    BOOL(2, 1, 2, 1, "bool"),
    I8(3, 1, 3, 1, "i8"),
    DOUBLE(4, 8, 7, 8, "double"),
    I16(6, 2, 4, 1, "i16"),
    I32(8, 4, 5, 1, "i32"),
    I64(10, 8, 6, 1, "i64"),
    STRING(11, 4, 8, 1, "string or binary"),
    STRUCT(12, 1, 12, 1, "struct"),
    MAP(13, 6, 11, 1, "map"),
    SET(14, 5, 10, 1, "set"),
    LIST(15, 5, 9, 1, "list"),
    UUID(16, 16, 13, 16, "uuid");

    /** Ends a struct, in both protocols. */
    static final int STOP = 0;

    private static final int CODES = 256;

    final int binary;
    final int compact;
    private final int leastInBinary;
    private final int leastInCompact;
    private final String label;

    ThriftWireType(int binary, int leastInBinary, int compact, int leastInCompact, String label) {
        this.binary = binary;
        this.leastInBinary = leastInBinary;
        this.compact = compact;
        this.leastInCompact = leastInCompact;
        this.label = label;
    }

    int code(Protocol protocol) {
        return protocol == Protocol.BINARY ? binary : compact;
    }

    /** Returns the minimum number of bytes of a value by the code of its type, 0 to 255; 0 for codes that do not exist. */
    static int[] leastBytes(Protocol protocol) {
        int[] least = new int[CODES];
        for (ThriftWireType wire : values()) {
            least[wire.code(protocol)] = protocol == Protocol.BINARY ? wire.leastInBinary : wire.leastInCompact;
        }
        return least;
    }

    /** Returns the name of a type for error messages. */
    static String label(Protocol protocol, int code) {
        for (ThriftWireType wire : values()) {
            if (wire.code(protocol) == code) {
                return wire.label;
            }
        }
        return "type " + code;
    }
}
