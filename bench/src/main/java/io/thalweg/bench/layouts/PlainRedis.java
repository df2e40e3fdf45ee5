package io.thalweg.bench.layouts;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.luben.zstd.Zstd;
import io.thalweg.bench.layouts.Layout.Features;
import io.thalweg.bench.publish.DemandRows;
import io.thalweg.bench.stores.RedisPipe;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.store.Neighbourhoods;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A layout in Redis as one would write it by hand: commands in a pipeline, each reply read; with a TTL, without the order rule,
 * and with only the features of a row.
 */
abstract class PlainRedis implements Layout {
    static final byte[] TTL_MS = RedisPipe.bytes(DemandRows.VIEW.online().ttl().millis());

    /** The cells that share a key. */
    final Neighbourhoods cells;

    private final RedisPipe pipe;

    /** Connects. {@code levels} is 0 for a key of each cell, 1 for one of the children of a parent. */
    PlainRedis(int port, int levels) throws IOException {
        this.pipe = new RedisPipe(port);
        this.cells = new Neighbourhoods(DemandRows.VIEW, levels);
    }

    private byte[] key(long cell) {
        return RedisPipe.bytes("demand:" + Long.toHexString(cells.parent(cell)));
    }

    /** Returns the commands that write the rows from {@code from} to before {@code to} of a block, which share a key. */
    abstract List<byte[][]> writes(byte[] key, HexRowBlock block, int from, int to) throws IOException;

    /** Returns the command that reads a cell. */
    abstract byte[][] read(byte[] key, long cell);

    abstract double @Nullable [] features(@Nullable Object reply) throws IOException;

    @Override
    public final void write(HexRowBlock block) throws IOException {
        for (int from = 0, to; from < block.rows(); from = to) {
            to = cells.end(block.cells(), from);
            for (byte[][] command : writes(key(block.cells()[from]), block, from, to)) {
                pipe.command(command);
            }
        }
        pipe.settle();
    }

    @Override
    public final List<double @Nullable []> read(long[] asked) throws IOException {
        for (long cell : asked) {
            pipe.add(read(key(cell), cell));
        }
        pipe.send();
        List<double @Nullable []> all = new ArrayList<>(asked.length);
        for (int i = 0; i < asked.length; i++) {
            all.add(features(pipe.reply()));
        }
        return all;
    }

    @Override
    public final void close() throws IOException {
        pipe.close();
    }

    /**
     * A hash with a field of eight bytes for each feature of a cell.
     *
     * <pre>
     * demand:CELL    k0_1m   -> value, ...
     * demand:PARENT  3k0_1m  -> value, ...    of all children: 3 is the last digit of a child's index
     * </pre>
     */
    static final class RedisColumns extends PlainRedis {
        /** By child. */
        private final List<List<byte[]>> fields = new ArrayList<>();

        /** Connects. {@code levels} is 0 for a hash of each cell, 1 for one of the children of a parent. */
        RedisColumns(int port, int levels) throws IOException {
            super(port, levels);
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
                    set.add(ByteBuffer.allocate(Double.BYTES)
                            .putDouble(values[i])
                            .array());
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
                    .mapToDouble(value -> ByteBuffer.wrap((byte[]) value).getDouble())
                    .toArray();
        }
    }

    /** A map from the names of features to their values, as JSON in one value; each value is compressed on its own, or not at all. */
    static final class RedisMap extends PlainRedis {
        private static final ObjectMapper JSON = new ObjectMapper();
        private static final TypeReference<Map<String, Double>> MAP = new TypeReference<>() {};

        private final boolean zstd;

        RedisMap(int port, boolean zstd) throws IOException {
            super(port, 0);
            this.zstd = zstd;
        }

        @Override
        List<byte[][]> writes(byte[] key, HexRowBlock block, int from, int to) throws IOException {
            byte[] json = JSON.writeValueAsBytes(Features.byName(Features.of(block, from)));
            byte[] value = zstd ? Zstd.compress(json) : json;
            return List.<byte[][]>of(new byte[][] {RedisPipe.bytes("SET"), key, value, RedisPipe.bytes("PX"), TTL_MS});
        }

        @Override
        byte[][] read(byte[] key, long cell) {
            return new byte[][] {RedisPipe.bytes("GET"), key};
        }

        @Override
        double @Nullable [] features(@Nullable Object reply) throws IOException {
            if (reply == null) {
                return null;
            }
            byte[] value = (byte[]) reply;
            byte[] json = zstd ? Zstd.decompress(value, (int) Zstd.getFrameContentSize(value)) : value;
            return Features.of(JSON.readValue(json, MAP));
        }
    }
}
