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
 * What one reader asks at once. A server gets it in a single write, for each write is a call into the kernel and wakes both ends,
 * and works it off in the order asked; each node of a cluster gets its own, and nothing is said of their order.
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
     * An empty one.
     *
     * @param doing as of {@link RedisLink#await}
     */
    Pipeline(RedisLink link, String doing) {
        this.link = link;
        this.doing = doing;
    }

    /**
     * Asks for a view's watermark: what is asked for afterwards is read later. Of a cluster that is so only because it is waited
     * for here.
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

    /** Asks for fields of a hash. */
    void hmget(byte[] key, List<byte[]> fields) {
        replies.add(ask(CommandType.HMGET, args().addKey(key).addValues(fields)));
    }

    /** Asks for the values of keys, which in a cluster must be in one slot; a key of another type has none. */
    void mget(List<byte[]> keys) {
        replies.add(ask(CommandType.MGET, args().addKeys(keys)));
    }

    /** Asks for the value of a key; the reply is an error of kind ROWS if the key has another type. */
    void get(byte[] key) {
        replies.add(ask(CommandType.GET, args().addKey(key)));
    }

    /** Asks for the value of one key, whatever else is asked. */
    AsyncCommand<byte[], byte[], List<byte @Nullable []>> value(byte[] key) {
        return ask(CommandType.MGET, args().addKey(key));
    }

    /** Waits for the reply to {@link #value(byte[])}. */
    Optional<byte[]> value(AsyncCommand<byte[], byte[], List<byte @Nullable []>> value) {
        return Optional.ofNullable(link.await(value, doing).get(0));
    }

    /** Asks how many of some keys there are, whatever their types; in a cluster they must be in one slot. */
    AsyncCommand<byte[], byte[], Long> exists(List<byte[]> keys) {
        AsyncCommand<byte[], byte[], Long> command =
                new AsyncCommand<>(new Command<>(CommandType.EXISTS, new IntegerOutput<>(BYTES), args().addKeys(keys)));
        unsent.add(command);
        return command;
    }

    /** Asks for the members of a sorted set from a score on. */
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

    /** Sends what was asked for. */
    void send() {
        if (!unsent.isEmpty()) {
            link.read(doing, unsent);
            unsent.clear();
        }
    }

    /** Waits for the watermark that was asked for, epoch ms. */
    OptionalLong watermarkMs() {
        byte[] text = link.await(Objects.requireNonNull(watermark), doing).get(0);
        return text == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(new String(text, US_ASCII)));
    }

    /**
     * Waits for the next reply, in the order asked: a value for each field or key, null where there is none. Empty if the key
     * holds something else than was asked for: then {@code keys} are unreadable.
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
     * @param keys of each value the place of its key; where a place occurs again, the first row counts
     * @return how many values there are
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
