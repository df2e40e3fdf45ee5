package io.thalweg.bench.layouts;

import io.thalweg.bench.publish.DemandRows;
import io.thalweg.bench.stores.RedisPipe;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.store.Neighbourhoods;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
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

    /** Returns the features in its reply. */
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
}
