package io.thalweg.live;

import com.google.protobuf.ByteString;
import io.thalweg.api.v1.LiveKey;
import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.model.row.GroupCodec;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.Shard;
import io.thalweg.model.view.FeatureView;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the keys of one view for live reads.
 *
 * <p><b>Threads.</b> Immutable and safe to share.
 */
public final class LiveView {
    private final String name;
    private final GroupCodec groups;
    private final @Nullable HexTiling tiling;
    private final @Nullable KeyCodec keys;

    /** Creates the encoding for the keys of this view. */
    public LiveView(FeatureView view) {
        name = view.qualifiedName();
        groups = new GroupCodec(view.group());
        tiling = view.isKeyed() ? null : HexTiling.of(view.cell().resolution());
        keys = view.isKeyed() ? new KeyCodec(view) : null;
    }

    /** Qualified name. */
    public String name() {
        return name;
    }

    /**
     * Returns a key with its shard.
     *
     * @param cell H3 index; ignored for keyed views
     * @param group values of the other entities in the view's order: {@code String} (also for uuid, lower-case canonical),
     *     {@code Long} or {@code Boolean}
     * @throws IllegalArgumentException if a value is not of its entity's type; the message names the entity
     */
    public LiveKey key(long cell, List<Object> group) {
        byte[] rest = groups.encode(group);
        if (tiling != null) {
            byte[] key =
                    ByteBuffer.allocate(8 + rest.length).putLong(cell).put(rest).array();
            return key(Shard.of(tiling.tile(cell)), key);
        }
        return key(Objects.requireNonNull(keys).shard(group), rest);
    }

    private static LiveKey key(int shard, byte[] key) {
        return LiveKey.newBuilder()
                .setShard(shard)
                .setKey(ByteString.copyFrom(key))
                .build();
    }
}
