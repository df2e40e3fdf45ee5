package io.thalweg.store.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A Lua script that Redis runs atomically, called by its digest; a server that does not know the digest receives the text. */
enum Script {
    WRITE_ROWS("order.lua", "write-rows.lua"),
    WRITE_KEYS("order.lua", "write-keys.lua"),
    WRITE_FEAST("write-feast.lua"),
    WRITE_PROGRESS("write-progress.lua"),
    WRITE_PLACES("write-places.lua"),
    WRITE_ALIAS("write-alias.lua");

    private final String text;
    private final String digest;

    Script(String... files) {
        text = Stream.of(files).map(Script::text).collect(Collectors.joining());
        try {
            digest = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(text.getBytes(UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-1", e);
        }
    }

    private static String text(String file) {
        try (InputStream in = Script.class.getResourceAsStream(file)) {
            return new String(Objects.requireNonNull(in, file).readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Calls the script for some keys, in a cluster of one slot; the reply is the script's result. */
    CompletionStage<Long> call(RedisClusterAsyncCommands<byte[], byte[]> redis, byte[][] keys, byte[]... arguments) {
        return orAsText(redis.evalsha(digest, ScriptOutputType.INTEGER, keys, arguments), redis, keys, arguments);
    }

    /** Creates the same call as a command for the caller to send. */
    AsyncCommand<byte[], byte[], Long> command(byte[][] keys, byte[]... arguments) {
        CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE)
                .add(digest)
                .add(keys.length)
                .addKeys(keys)
                .addValues(arguments);
        return new AsyncCommand<>(
                new Command<>(CommandType.EVALSHA, new IntegerOutput<>(ByteArrayCodec.INSTANCE), args));
    }

    /** Returns the reply to a call by digest, or calls by text if the server does not know the digest. */
    CompletionStage<Long> orAsText(
            CompletionStage<Long> reply,
            RedisClusterAsyncCommands<byte[], byte[]> redis,
            byte[][] keys,
            byte[]... arguments) {
        return reply.exceptionallyCompose(e -> isUnknown(e)
                ? redis.eval(text, ScriptOutputType.INTEGER, keys, arguments)
                : CompletableFuture.failedFuture(e));
    }

    /** A server forgets scripts when it restarts and on SCRIPT FLUSH. */
    private static boolean isUnknown(Throwable failure) {
        return cause(failure) instanceof RedisNoScriptException;
    }

    /** The cause of a failure, without the wrappers of dependent stages. */
    static Throwable cause(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }
}
