package io.thalweg.store.redis;

import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.row.RowCodec;
import io.thalweg.store.ReadRows;
import io.thalweg.store.Retention;
import io.thalweg.store.RowReader;
import io.thalweg.store.StoreKey;
import io.thalweg.store.WindowEnds;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;

/** Rows of cells: up to 49 neighbouring cells of a group share a hash, which one script call writes. */
final class NeighbourHashes implements RedisRows {
    private final Access access;
    private final RedisKeys names;

    NeighbourHashes(Access access) {
        this.access = access;
        this.names = access.names();
    }

    @Override
    public void write(List<? extends RowBlock> blocks) {
        boolean history = Retention.of(access.view()).keepsHistory();
        RowCodec codec = access.codec();
        Expiry expiry = access.expiry();
        Calls calls = access.calls();
        for (RowBlock block : blocks) {
            if (!expiry.isOver(block.windowEndMs(), block.rows())) {
                write((HexRowBlock) block, codec, history, expiry, calls);
            }
        }
        calls.settle();
    }

    private void write(HexRowBlock block, RowCodec codec, boolean history, Expiry expiry, Calls calls) {
        byte[] group = names.group(block.group());
        for (int from = 0, to; from < block.rows() && !calls.failed(); from = to) {
            to = names.end(block.cells(), from);
            long parent = names.parent(block.cells()[from]);
            byte[][] arguments = expiry.arguments(block.windowEndMs(), to - from);
            for (int row = from, at = 2; row < to; row++) {
                arguments[at++] = names.field(block.cells()[row]);
                arguments[at++] = codec.encodeRow(block, row);
            }
            calls.send(Script.WRITE_ROWS, new byte[][] {names.newest(parent, group)}, arguments);
            if (history) {
                byte[] hash = names.history(block.windowEndMs(), parent, group);
                calls.send(Script.WRITE_ROWS, new byte[][] {hash}, arguments);
            }
        }
    }

    @Override
    public ReadRows read(List<StoreKey> keys) {
        Pipeline asked = access.pipeline();
        asked.watermark(access.progressKey());
        return read(asked, keys, hash -> names.newest(hash.cell(), names.group(hash.group())));
    }

    @Override
    public ReadRows readAsOf(List<StoreKey> keys, long asOfMs) {
        WindowEnds ends = WindowEnds.asOf(access.view(), asOfMs, access.oldestMs());
        Pipeline asked = access.pipeline();
        asked.watermark(access.progressKey());
        return read(asked, keys, hash -> names.history(ends.newestMs(), hash.cell(), names.group(hash.group())));
    }

    @Override
    public ReadRows readHistory(StoreKey key, long[] endsMs) {
        Pipeline asked = access.pipeline();
        asked.watermark(access.progressKey());
        byte[] group = names.group(key.group());
        long parent = names.parent(key.cell());
        List<byte[]> field = List.of(names.field(key.cell()));
        for (long endMs : endsMs) {
            asked.hmget(names.history(endMs, parent, group), field);
        }
        asked.send();
        OptionalLong watermarkMs = asked.watermarkMs();
        RowReader rows = access.reader(endsMs.length);
        for (int i = 0; i < endsMs.length; i++) {
            asked.nextPacked(List.of(i), rows);
        }
        return rows.found(watermarkMs);
    }

    /**
     * Reads rows of one window end, or the newest.
     *
     * @param hashKey the Redis key of a hash, which is given as its parent and group
     */
    private ReadRows read(Pipeline asked, List<StoreKey> keys, Function<StoreKey, byte[]> hashKey) {
        Map<StoreKey, List<Integer>> hashes = new LinkedHashMap<>();
        for (int i = 0; i < keys.size(); i++) {
            StoreKey key = keys.get(i);
            hashes.computeIfAbsent(new StoreKey(names.parent(key.cell()), key.group()), hash -> new ArrayList<>())
                    .add(i);
        }
        hashes.forEach((hash, indexes) -> asked.hmget(
                hashKey.apply(hash),
                indexes.stream().map(i -> names.field(keys.get(i).cell())).toList()));
        asked.send();
        OptionalLong watermarkMs = asked.watermarkMs();
        RowReader rows = access.reader(keys.size());
        hashes.values().forEach(indexes -> asked.nextPacked(indexes, rows));
        return rows.found(watermarkMs);
    }
}
