package io.thalweg.store.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.lettuce.core.ScoredValue;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.ScoredValueListOutput;
import io.lettuce.core.output.ValueListOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandKeyword;
import io.lettuce.core.protocol.CommandType;
import io.thalweg.store.RowReader;
import io.thalweg.store.StoreException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The commands of one reader, sent together. A server receives them in a single write, because each write is a system call and
 * wakes both ends, and executes them in order. In a cluster each node receives its own commands, without an order among nodes.
 *
 * <p><b>Threads.</b> One.
 */
final class Pipeline {
    private static final RedisCodec<byte[], byte[]> BYTES = ByteArrayCodec.INSTANCE;
    private static final byte[] WATERMARK = "watermark".getBytes(US_ASCII);

    private final RedisLink link;
    private final String doing;
    private final List<AsyncCommand<byte[], byte[], ?>> unsent = new ArrayList<>();
    private final Queue<AsyncCommand<byte[], byte[], List<byte @Nullable []>>> replies = new ArrayDeque<>();
    private @Nullable AsyncCommand<byte[], byte[], List<byte @Nullable []>> watermark;

    /**
     * Creates an empty pipeline.
     *
     * @param doing as of {@link RedisLink#await}
     */
    Pipeline(RedisLink link, String doing) {
        this.link = link;
        this.doing = doing;
    }

    /**
     * Requests a view's watermark; everything requested afterwards is read later. In a cluster this call waits for the reply to
     * guarantee that.
     *
     * @param progress the key of the view's progress
     */
    void watermark(byte[] progress) {
        watermark = ask(CommandType.HMGET, args().addKey(progress).addValue(WATERMARK));
        if (!link.inOrder()) {
            send();
            watermarkMs();
        }
    }

    /** Requests fields of a hash. */
    void hmget(byte[] key, List<byte[]> fields) {
        replies.add(ask(CommandType.HMGET, args().addKey(key).addValues(fields)));
    }

    /** Requests the values of keys, which in a cluster must be in one slot; a key of another type has none. */
    void mget(List<byte[]> keys) {
        replies.add(ask(CommandType.MGET, args().addKeys(keys)));
    }

    /** Requests the value of a key; the reply is an error of kind ROWS if the key has another type. */
    void get(byte[] key) {
        replies.add(ask(CommandType.GET, args().addKey(key)));
    }

    /** Requests the value of one key, independently of other requests. */
    AsyncCommand<byte[], byte[], List<byte @Nullable []>> value(byte[] key) {
        return ask(CommandType.MGET, args().addKey(key));
    }

    /** Waits for the reply to {@link #value(byte[])}. */
    Optional<byte[]> value(AsyncCommand<byte[], byte[], List<byte @Nullable []>> value) {
        return Optional.ofNullable(link.await(value, doing).get(0));
    }

    /** Requests the number of existing keys among some, whatever their types; in a cluster they must be in one slot. */
    AsyncCommand<byte[], byte[], Long> exists(List<byte[]> keys) {
        AsyncCommand<byte[], byte[], Long> command =
                new AsyncCommand<>(new Command<>(CommandType.EXISTS, new IntegerOutput<>(BYTES), args().addKeys(keys)));
        unsent.add(command);
        return command;
    }

    /** Requests the members of a sorted set from a score on. */
    AsyncCommand<byte[], byte[], List<ScoredValue<byte[]>>> from(byte[] key, long score) {
        CommandArgs<byte[], byte[]> args =
                args().addKey(key).add(score).add("+inf").add(CommandKeyword.WITHSCORES);
        AsyncCommand<byte[], byte[], List<ScoredValue<byte[]>>> command =
                new AsyncCommand<>(new Command<>(CommandType.ZRANGEBYSCORE, new ScoredValueListOutput<>(BYTES), args));
        unsent.add(command);
        return command;
    }

    /** Waits for the reply to {@link #from}. */
    List<ScoredValue<byte[]>> members(AsyncCommand<byte[], byte[], List<ScoredValue<byte[]>>> from) {
        return link.await(from, doing);
    }

    /** Waits for the reply to {@link #exists}. */
    long count(AsyncCommand<byte[], byte[], Long> exists) {
        return link.await(exists, doing);
    }

    private static CommandArgs<byte[], byte[]> args() {
        return new CommandArgs<>(BYTES);
    }

    private AsyncCommand<byte[], byte[], List<byte @Nullable []>> ask(
            CommandType type, CommandArgs<byte[], byte[]> args) {
        AsyncCommand<byte[], byte[], List<byte @Nullable []>> command =
                new AsyncCommand<>(new Command<>(type, new ValueListOutput<>(BYTES), args));
        unsent.add(command);
        return command;
    }

    /** Sends the pending commands. */
    void send() {
        if (!unsent.isEmpty()) {
            link.read(doing, unsent);
            unsent.clear();
        }
    }

    /** Waits for the requested watermark, epoch ms. */
    OptionalLong watermarkMs() {
        byte[] text = link.await(Objects.requireNonNull(watermark), doing).get(0);
        return text == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(new String(text, US_ASCII)));
    }

    /**
     * Waits for the next reply, in request order: a value for each field or key, null where there is none. Returns empty and
     * marks {@code keys} unreadable if the key has another type.
     */
    Optional<List<byte @Nullable []>> next(List<Integer> keys, RowReader rows) {
        try {
            return Optional.of(link.await(replies.remove(), doing));
        } catch (StoreException e) {
            if (e.kind() != StoreException.Kind.ROWS) {
                throw e;
            }
            keys.forEach(key -> rows.unreadable(key, String.valueOf(e.getMessage())));
            return Optional.empty();
        }
    }

    /**
     * Waits for the next reply and reads its packed rows.
     *
     * @param keys the place of each value's key; where a place repeats, the first row counts
     * @return the number of non-null values
     */
    int nextPacked(List<Integer> keys, RowReader rows) {
        List<byte @Nullable []> values = next(keys, rows).orElse(List.of());
        int present = 0;
        for (int i = 0; i < values.size(); i++) {
            int key = keys.get(i);
            present += values.get(i) == null ? 0 : 1;
            if (rows.isOpen(key)) {
                rows.packed(key, values.get(i));
            }
        }
        return present;
    }
}
