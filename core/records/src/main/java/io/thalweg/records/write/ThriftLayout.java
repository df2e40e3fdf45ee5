package io.thalweg.records.write;

/**
 * The properties of a Thrift schema beyond the neutral one, by the path of a field such as {@code payload.rider.id}. An element
 * has the path of its list, a value that of its map, and a key that of its map and {@code [key]}.
 */
public interface ThriftLayout {
    /** Ids 1 to n in the order of the fields; names numbered from 0; times in microseconds; UUIDs as such; lists. */
    ThriftLayout DEFAULT = new ThriftLayout() {};

    /** Returns the id of a field, 1 to 32,767, unique in its struct; {@code index} is its position in its struct. */
    default int id(String path, int index) {
        return index + 1;
    }

    /** Returns the number of a name of {@code Symbols}; {@code index} is its position among the names. */
    default int number(String path, String name, int index) {
        return index;
    }

    /** Returns the unit of a {@code Time} or {@code Timestamp} in microseconds: 1, 1,000 or 1,000,000. */
    default long unit(String path) {
        return 1;
    }

    /** Returns whether a {@code Uuid} is of Thrift's type {@code binary} instead of {@code uuid}. */
    default boolean uuidIsBinary(String path) {
        return false;
    }

    /** Returns whether a list is of Thrift's type {@code set}. */
    default boolean isSet(String path) {
        return false;
    }
}
