package io.thalweg.records;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.Struct;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Passes rows on with distinct keys in each map: of a duplicate key, the last entry. Formats allow duplicates on the wire, where
 * the last one counts; readers of tables refuse them.
 *
 * <p><b>Keys</b> are compared as they are written. Numbers with a fraction are compared as {@link Double#equals} does: 0.0 and
 * -0.0 differ, NaN equals NaN.
 *
 * <p><b>Threads.</b> One.
 *
 * <p><b>Cost.</b> Maps are buffered, about 13 bytes for each call and the values; constant time per entry, also for keys that are
 * chosen to collide. Everything else is passed on at once. Rows without maps do not pass through this class.
 */
public final class DistinctKeys {
    private static final int SMALLEST = 16;

    private final boolean hasMaps;
    private final Buffer buffer = new Buffer();

    /** Creates an instance for rows of a schema. */
    public DistinctKeys(Struct rows) {
        hasMaps = hasMaps(rows);
    }

    private static boolean hasMaps(FieldType type) {
        if (type instanceof Struct struct) {
            return struct.fields().stream().map(Field::type).anyMatch(DistinctKeys::hasMaps);
        }
        return type instanceof MapOf || (type instanceof ListOf list && hasMaps(list.element()));
    }

    /** Begins a row, and returns the writer that passes it on to another. */
    public RecordWriter to(RecordWriter row) {
        return hasMaps ? buffer.to(row) : row;
    }

    private enum Call {
        BOOL,
        INT64,
        FLOAT64,
        BYTES,
        ABSENT,
        BEGIN_STRUCT,
        END_STRUCT,
        BEGIN_LIST,
        END_LIST,
        BEGIN_MAP,
        END_MAP,
        /** An entry whose key follows again; its value is the call after the entry. */
        DROPPED
    }

    /** Records the calls within the outermost map, and passes them on when it ends. */
    private static final class Buffer implements RecordWriter {
        private final long seed = ThreadLocalRandom.current().nextLong();
        private RecordWriter row = this;

        private int size;
        private Call[] calls = new Call[SMALLEST];
        private int[] slots = new int[SMALLEST];
        /** A number; of bytes, their position in {@link #bytes} and their length. */
        private long[] values = new long[SMALLEST];

        private byte[] bytes = new byte[256];
        private int bytesLength;

        /** The slots of the open maps, and where their keys begin in {@link #keys}. */
        private int[] mapSlots = new int[4];

        private int[] firstKeys = new int[4];
        private int maps;
        /** The calls of the keys of the open maps. */
        private int[] keys = new int[SMALLEST];

        private int keyCount;
        /** An open hash table of indexes of {@link #keys}, plus one. */
        private int[] table = new int[SMALLEST];

        RecordWriter to(RecordWriter next) {
            row = next;
            size = 0;
            bytesLength = 0;
            maps = 0;
            keyCount = 0;
            return this;
        }

        private void add(Call call, int slot, long value) {
            if (slot == mapSlots[maps - 1] + 1) {
                keys = keyCount == keys.length ? Arrays.copyOf(keys, 2 * keyCount) : keys;
                keys[keyCount++] = size;
            }
            if (size == calls.length) {
                calls = Arrays.copyOf(calls, 2 * size);
                slots = Arrays.copyOf(slots, 2 * size);
                values = Arrays.copyOf(values, 2 * size);
            }
            calls[size] = call;
            slots[size] = slot;
            values[size++] = value;
        }

        @Override
        public void bool(int slot, boolean value) {
            if (maps == 0) {
                row.bool(slot, value);
            } else {
                add(Call.BOOL, slot, value ? 1 : 0);
            }
        }

        @Override
        public void int64(int slot, long value) {
            if (maps == 0) {
                row.int64(slot, value);
            } else {
                add(Call.INT64, slot, value);
            }
        }

        @Override
        public void float64(int slot, double value) {
            if (maps == 0) {
                row.float64(slot, value);
            } else {
                add(Call.FLOAT64, slot, Double.doubleToRawLongBits(value));
            }
        }

        @Override
        public void bytes(int slot, byte[] data, int from, int length) {
            if (maps == 0) {
                row.bytes(slot, data, from, length);
                return;
            }
            if (bytes.length - bytesLength < length) {
                bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(bytesLength, length), 2 * bytes.length));
            }
            System.arraycopy(data, from, bytes, bytesLength, length);
            add(Call.BYTES, slot, (long) bytesLength << 32 | length);
            bytesLength += length;
        }

        @Override
        public void absent(int slot) {
            if (maps == 0) {
                row.absent(slot);
            } else {
                add(Call.ABSENT, slot, 0);
            }
        }

        @Override
        public void beginStruct(int slot) {
            if (maps == 0) {
                row.beginStruct(slot);
            } else {
                add(Call.BEGIN_STRUCT, slot, 0);
            }
        }

        @Override
        public void endStruct(int slot) {
            if (maps == 0) {
                row.endStruct(slot);
            } else {
                add(Call.END_STRUCT, slot, 0);
            }
        }

        @Override
        public void beginList(int slot) {
            if (maps == 0) {
                row.beginList(slot);
            } else {
                add(Call.BEGIN_LIST, slot, 0);
            }
        }

        @Override
        public void endList(int slot) {
            if (maps == 0) {
                row.endList(slot);
            } else {
                add(Call.END_LIST, slot, 0);
            }
        }

        @Override
        public void beginMap(int slot) {
            if (maps == 0) {
                row.beginMap(slot);
            } else {
                add(Call.BEGIN_MAP, slot, 0);
            }
            if (maps == mapSlots.length) {
                mapSlots = Arrays.copyOf(mapSlots, 2 * maps);
                firstKeys = Arrays.copyOf(firstKeys, 2 * maps);
            }
            mapSlots[maps] = slot;
            firstKeys[maps++] = keyCount;
        }

        @Override
        public void endMap(int slot) {
            int first = firstKeys[--maps];
            if (keyCount - first > 1) {
                dropDuplicates(first);
            }
            keyCount = first;
            if (maps > 0) {
                add(Call.END_MAP, slot, 0);
                return;
            }
            passOn();
            row.endMap(slot);
        }

        private void dropDuplicates(int first) {
            int mask = Integer.highestOneBit(keyCount - first) * 4 - 1;
            if (mask < table.length) {
                Arrays.fill(table, 0, mask + 1, 0);
            } else {
                table = new int[mask + 1];
            }
            for (int key = first; key < keyCount; key++) {
                int at = (int) (hash(keys[key]) >>> 32) & mask;
                while (table[at] != 0 && !isSame(keys[table[at] - 1], keys[key])) {
                    at = at + 1 & mask;
                }
                if (table[at] != 0) {
                    int earlier = table[at] - 1;
                    // Compared before: the key of an earlier entry is not needed any more.
                    calls[keys[earlier]] = Call.DROPPED;
                    values[keys[earlier]] = keys[earlier + 1];
                }
                table[at] = key + 1;
            }
        }

        private long hash(int call) {
            long value = values[call];
            return switch (calls[call]) {
                case BYTES -> ByteHash.of(seed, bytes, (int) (value >>> 32), (int) value);
                case FLOAT64 -> ByteHash.of(seed, canonical(value));
                default -> ByteHash.of(seed, value);
            };
        }

        private boolean isSame(int one, int other) {
            long a = values[one];
            long b = values[other];
            if (calls[one] != calls[other]) {
                return false;
            }
            return switch (calls[one]) {
                case BYTES -> {
                    int from = (int) (a >>> 32);
                    int otherFrom = (int) (b >>> 32);
                    yield Arrays.equals(bytes, from, from + (int) a, bytes, otherFrom, otherFrom + (int) b);
                }
                case FLOAT64 -> canonical(a) == canonical(b);
                default -> a == b;
            };
        }

        private static long canonical(long doubleBits) {
            return Double.doubleToLongBits(Double.longBitsToDouble(doubleBits));
        }

        private void passOn() {
            for (int i = 0; i < size; ) {
                int slot = slots[i];
                long value = values[i];
                Call call = calls[i++];
                switch (call) {
                    case BOOL -> row.bool(slot, value != 0);
                    case INT64 -> row.int64(slot, value);
                    case FLOAT64 -> row.float64(slot, Double.longBitsToDouble(value));
                    case BYTES -> row.bytes(slot, bytes, (int) (value >>> 32), (int) value);
                    case ABSENT -> row.absent(slot);
                    case BEGIN_STRUCT -> row.beginStruct(slot);
                    case END_STRUCT -> row.endStruct(slot);
                    case BEGIN_LIST -> row.beginList(slot);
                    case END_LIST -> row.endList(slot);
                    case BEGIN_MAP -> row.beginMap(slot);
                    case END_MAP -> row.endMap(slot);
                    case DROPPED -> i = (int) value;
                }
            }
            size = 0;
            bytesLength = 0;
        }
    }
}
