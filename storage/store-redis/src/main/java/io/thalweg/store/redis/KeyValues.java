package io.thalweg.store.redis;

import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.protocol.AsyncCommand;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.row.RowCodec;
import io.thalweg.store.ExampleKeys;
import io.thalweg.store.KeyedAsOf;
import io.thalweg.store.ReadRows;
import io.thalweg.store.Retention;
import io.thalweg.store.RowReader;
import io.thalweg.store.StoreKey;
import io.thalweg.store.WindowEnds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/** Rows of keys: the newest is a value of its own; rows of history share a hash with others of the same key. */
final class KeyValues implements RedisRows {
    /** Rows of one call, during which the server does nothing else: some tenths of a millisecond. */
    private static final int CALL_ROWS = 100;
    /** The most window ends that one round of an as-of read tries per key. */
    private static final int MOST_ENDS = 64 * RedisKeys.SPAN;
    /** Keys of the server that one step of a listing passes, and its steps at most: some 50 ms of its time in all. */
    private static final int SCANNED = 1_000;

    private static final int SCANS = 200;

    private final Access access;
    private final RedisKeys names;

    KeyValues(Access access) {
        this.access = access;
        this.names = access.names();
    }

    @Override
    public void write(List<? extends RowBlock> blocks) {
        boolean history = Retention.of(access.view()).keepsHistory();
        KeyCodec keys = new KeyCodec(access.view());
        RowCodec codec = access.codec();
        Expiry expiry = access.expiry();
        Calls calls = access.calls();
        SlotCalls newest = new SlotCalls(access.link(), calls, Script.WRITE_KEYS, CALL_ROWS, List.of(expiry.since()));
        for (RowBlock rows : blocks) {
            if (expiry.isOver(rows.windowEndMs(), rows.rows())) {
                continue;
            }
            KeyedRowBlock block = (KeyedRowBlock) rows;
            byte[] lives = expiry.lives(block.windowEndMs());
            for (int row = 0; row < block.rows() && !calls.failed(); row++) {
                byte[] key = block.keyBytes(keys, row);
                byte[] encoded = codec.encodeRow(block, row);
                newest.add(names.newest(key), List.of(lives, encoded));
                if (history) {
                    byte[][] arguments = expiry.arguments(block.windowEndMs(), 1);
                    arguments[2] = RedisKeys.historyField(block.windowEndMs());
                    arguments[3] = encoded;
                    byte[] hash = names.history(block.windowEndMs(), key);
                    calls.send(Script.WRITE_ROWS, new byte[][] {hash}, arguments);
                }
            }
        }
        newest.send();
        calls.settle();
    }

    @Override
    public ReadRows read(List<StoreKey> keys) {
        Pipeline asked = access.pipeline();
        asked.watermark(access.progressKey());
        List<byte[]> newest =
                keys.stream().map(key -> names.newest(names.group(key.group()))).toList();
        List<Call> calls = new ArrayList<>();
        int atOnce = access.link().inOrder() ? Math.max(1, newest.size()) : 1;
        for (int from = 0; from < newest.size(); from += atOnce) {
            int to = Math.min(newest.size(), from + atOnce);
            List<byte[]> some = newest.subList(from, to);
            calls.add(new Call(IntStream.range(from, to).boxed().toList(), asked.exists(some)));
            asked.mget(some);
        }
        asked.send();
        OptionalLong watermarkMs = asked.watermarkMs();
        RowReader rows = access.reader(keys.size());
        List<Integer> suspects = new ArrayList<>();
        for (Call call : calls) {
            int values = asked.nextPacked(call.places(), rows);
            if (values < asked.count(call.exists())) {
                call.places().stream().filter(rows::isOpen).forEach(suspects::add);
            }
        }
        readAlone(suspects, newest, asked, rows);
        return rows.found(watermarkMs);
    }

    /** Keys that are read together; {@code exists} counts those that exist, whatever their types. */
    private record Call(List<Integer> places, AsyncCommand<byte[], byte[], Long> exists) {}

    /** Reads keys one by one: MGET returns no value for a key of another type, and only GET reports why. */
    private static void readAlone(List<Integer> places, List<byte[]> keys, Pipeline asked, RowReader rows) {
        places.forEach(place -> asked.get(keys.get(place)));
        asked.send();
        places.forEach(place -> asked.nextPacked(List.of(place), rows));
    }

    @Override
    public ReadRows readAsOf(List<StoreKey> keys, long asOfMs) {
        WindowEnds ends = WindowEnds.asOf(access.view(), asOfMs, access.oldestMs());
        return KeyedAsOf.read(keys, ends, this::read, some -> walk(some, ends));
    }

    /** Walks back from the time asked for, doubling the number of window ends each round: most keys have a row near it. */
    private ReadRows walk(List<StoreKey> keys, WindowEnds ends) {
        Pipeline asked = access.pipeline();
        asked.watermark(access.progressKey());
        List<byte[]> encoded =
                keys.stream().map(key -> names.group(key.group())).toList();
        RowReader rows = access.reader(keys.size());
        List<Integer> open = IntStream.range(0, keys.size()).boxed().toList();
        long end = ends.newestMs();
        for (int some = RedisKeys.SPAN;
                end >= ends.oldestMs() && !open.isEmpty();
                some = Math.min(2 * some, MOST_ENDS)) {
            Map<Long, List<byte[]>> spans = new LinkedHashMap<>();
            for (int i = 0; i < some && end >= ends.oldestMs(); i++, end -= ends.everyMs()) {
                spans.computeIfAbsent(names.span(end), span -> new ArrayList<>())
                        .add(RedisKeys.historyField(end));
            }
            for (int i : open) {
                spans.forEach((span, fields) -> asked.hmget(names.history(span, encoded.get(i)), fields));
            }
            asked.send();
            for (int i : open) {
                spans.values().forEach(fields -> asked.nextPacked(Collections.nCopies(fields.size(), i), rows));
            }
            open = open.stream().filter(rows::isOpen).toList();
        }
        asked.send(); // the watermark, where no row was asked for
        return rows.found(asked.watermarkMs());
    }

    /** Passes over keys of the whole server, which skips those of other views. */
    @Override
    public void list(ExampleKeys keys) {
        byte[] before = names.newest(new byte[0]);
        ScanArgs args = ScanArgs.Builder.limit(SCANNED).match(RedisTable.glob(before) + "*");
        ScanCursor at = ScanCursor.INITIAL;
        for (int scan = 0; scan < SCANS && keys.isOpen() && !at.isFinished(); scan++) {
            KeyScanCursor<byte[]> page = access.link()
                    .await(
                            access.link().reader().scan(at, args),
                            "listing keys of " + access.view().qualifiedName());
            page.getKeys().forEach(key -> keys.add(Arrays.copyOfRange(key, before.length, key.length)));
            at = page;
        }
    }
}
