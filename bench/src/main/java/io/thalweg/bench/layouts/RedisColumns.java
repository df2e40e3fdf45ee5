package io.thalweg.bench.layouts;

import io.thalweg.bench.stores.RedisPipe;
import io.thalweg.model.row.HexRowBlock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A hash with a field for each feature of a cell.
 *
 * <pre>
 * demand:CELL    k0_1m   -> value, ...
 * demand:PARENT  3k0_1m  -> value, ...    of all children: 3 is the last digit of a child's index
 * </pre>
 */
final class RedisColumns extends PlainRedis {
    /** The encoding of a value. */
    enum Numbers {
        /** Eight bytes. */
        BINARY,
        /** Decimal. */
        TEXT;

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        byte[] encode(double value) {
            return this == TEXT
                    ? RedisPipe.bytes(Double.toString(value))
                    : ByteBuffer.allocate(Double.BYTES).putDouble(value).array();
        }

        double decode(byte[] bytes) {
            return this == TEXT
                    ? Double.parseDouble(new String(bytes, StandardCharsets.US_ASCII))
                    : ByteBuffer.wrap(bytes).getDouble();
        }
    }

    private final Numbers numbers;
    /** By child. */
    private final List<List<byte[]>> fields = new ArrayList<>();

    /** Connects. {@code levels} is 0 for a hash of each cell, 1 for one of the children of a parent. */
    RedisColumns(int port, int levels, Numbers numbers) throws IOException {
        super(port, levels);
        this.numbers = numbers;
        for (int child = 0; child < (levels == 0 ? 1 : 7); child++) {
            String begin = levels == 0 ? "" : Integer.toString(child);
            fields.add(Features.NAMES.stream()
                    .map(name -> RedisPipe.bytes(begin + name))
                    .toList());
        }
    }

    @Override
    List<byte[][]> writes(byte[] key, HexRowBlock block, int from, int to) {
        List<byte[]> set = new ArrayList<>(List.of(RedisPipe.bytes("HSET"), key));
        for (int row = from; row < to; row++) {
            List<byte[]> names = fields.get(cells.digits(block.cells()[row]));
            double[] values = Features.of(block, row);
            for (int i = 0; i < values.length; i++) {
                set.add(names.get(i));
                set.add(numbers.encode(values[i]));
            }
        }
        return List.of(set.toArray(byte[][]::new), new byte[][] {RedisPipe.bytes("PEXPIRE"), key, TTL_MS});
    }

    @Override
    byte[][] read(byte[] key, long cell) {
        List<byte[]> get = new ArrayList<>(List.of(RedisPipe.bytes("HMGET"), key));
        get.addAll(fields.get(cells.digits(cell)));
        return get.toArray(byte[][]::new);
    }

    @Override
    double @Nullable [] features(@Nullable Object reply) {
        List<?> values = (List<?>) reply;
        if (values == null || values.contains(null)) {
            return null;
        }
        return values.stream()
                .mapToDouble(value -> numbers.decode((byte[]) value))
                .toArray();
    }
}
