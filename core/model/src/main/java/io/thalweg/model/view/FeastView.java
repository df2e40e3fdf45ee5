package io.thalweg.model.view;

import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;

/**
 * A view as Feast sees it: its name, its join keys and its features.
 *
 * <p><b>Threads.</b> Immutable.
 *
 * <p><b>Source.</b> Feast 0.67, {@code infra/key_encoding_utils.py} and {@code infra/online_stores/helpers.py}; documented in
 * {@code docs/reference/redis.md}.
 *
 * @param name the view's qualified name
 * @param joinKeys sorted by name, as Feast sorts them, independent of the view's order
 * @param features in the view's order; the one {@link #ARRAY} under {@link Online.Layout#FEAST_ARRAY}
 */
public record FeastView(String name, List<JoinKey> joinKeys, List<String> features) {
    /** The single feature that contains all features of a row, in the order of {@link FeatureView#featureNames()}. */
    public static final String ARRAY = "features";

    /** The Feast types of join keys; Feast supports neither booleans nor UUIDs as join keys. */
    public enum KeyType {
        /** Text, and UUIDs in lower case. */
        STRING,
        /** Whole numbers, H3 indexes, and booleans as 0 and 1. */
        INT64
    }

    /** A key by which a row is found. */
    public record JoinKey(String name, KeyType type) {}

    public FeastView {
        joinKeys = List.copyOf(joinKeys);
        features = List.copyOf(features);
    }

    /** Creates Feast's view of a feature view that is stored in one of Feast's layouts. */
    public static FeastView of(FeatureView view) {
        List<JoinKey> joinKeys = view.entities().stream()
                .map(entity -> new JoinKey(entity.name(), type(entity)))
                .sorted(Comparator.comparing(JoinKey::name))
                .toList();
        boolean array = view.online().layout() == Online.Layout.FEAST_ARRAY;
        return new FeastView(view.qualifiedName(), joinKeys, array ? List.of(ARRAY) : view.featureNames());
    }

    private static KeyType type(Entity entity) {
        boolean text = entity instanceof Entity.Field field
                && (field.type() == ValueType.STRING || field.type() == ValueType.UUID);
        return text ? KeyType.STRING : KeyType.INT64;
    }

    /** Returns the field of the entity's hash that contains a feature; its bytes are little-endian. */
    public int field(String feature) {
        return murmur3(name + ":" + feature);
    }

    /** Returns MurmurHash3 x86 32 with seed 0 of the UTF-8 (Austin Appleby's SMHasher, public domain). */
    static int murmur3(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int hash = 0;
        int whole = bytes.length & ~3;
        for (int at = 0; at < whole; at += 4) {
            hash = Integer.rotateLeft(hash ^ scrambled(littleEndian(bytes, at, 4)), 13) * 5 + 0xe6546b64;
        }
        hash ^= scrambled(littleEndian(bytes, whole, bytes.length - whole));
        hash ^= bytes.length;
        hash = (hash ^ hash >>> 16) * 0x85ebca6b;
        hash = (hash ^ hash >>> 13) * 0xc2b2ae35;
        return hash ^ hash >>> 16;
    }

    private static int scrambled(int word) {
        return Integer.rotateLeft(word * 0xcc9e2d51, 15) * 0x1b873593;
    }

    private static int littleEndian(byte[] bytes, int from, int count) {
        int word = 0;
        for (int i = 0; i < count; i++) {
            word |= (bytes[from + i] & 0xFF) << (8 * i);
        }
        return word;
    }
}
