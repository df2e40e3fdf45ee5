package io.thalweg.bench.layouts;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.luben.zstd.Zstd;
import io.thalweg.bench.stores.RedisPipe;
import io.thalweg.model.row.HexRowBlock;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A map from the names of features to their values, as JSON in one value; each value is compressed on its own, or not at all. */
final class RedisMap extends PlainRedis {
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
