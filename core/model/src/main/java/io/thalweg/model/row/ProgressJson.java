package io.thalweg.model.row;

import io.thalweg.model.bytes.Bytes;
import io.thalweg.model.bytes.JsonText;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Progress records of a row topic as JSON; see {@code docs/reference/rows.md}. */
public final class ProgressJson {
    private ProgressJson() {}

    /** The Kafka key: {@code ["demand",{"shard":17}]}; no entity value is an object. */
    public static byte[] key(Progress progress) {
        Bytes out = new Bytes(64);
        out.u8('[');
        JsonText.string(progress.view(), out);
        return out.ascii(",{\"shard\":" + progress.shard() + "}]").copy();
    }

    /** The value: {@code {"view":"demand","progress":{"shard":17,"shards":256,"window_end":"…"}}}. */
    public static byte[] value(Progress progress) {
        Bytes out = new Bytes(128);
        out.ascii("{\"view\":");
        JsonText.string(progress.view(), out);
        out.ascii(",\"progress\":{\"shard\":" + progress.shard() + ",\"shards\":" + progress.shards());
        out.ascii(",\"window_end\":\"" + Instant.ofEpochMilli(progress.windowEndMs()) + "\"}}");
        return out.copy();
    }

    /**
     * Reads a progress record; returns null for a row in JSON, Avro or packed form.
     *
     * @throws IllegalArgumentException if the value is none of these
     */
    public static @Nullable Progress parse(byte[] value) {
        return RowJsonParser.progress(value);
    }
}
