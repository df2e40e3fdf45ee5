package io.thalweg.formats;

import org.jspecify.annotations.Nullable;

/** A record with the key {@code k} and the header {@code h: v}. */
record KafkaOrigin(int partition, long offset, long timestampMs) implements RecordOrigin {
    @Override
    public byte[] key() {
        return new byte[] {'k'};
    }

    @Override
    public byte @Nullable [] last(String name) {
        return name.equals("h") ? new byte[] {'v'} : null;
    }
}
