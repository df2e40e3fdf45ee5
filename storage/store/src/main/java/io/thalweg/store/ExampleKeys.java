package io.thalweg.store;

import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.view.FeatureView;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Collects the keys of a keyed view that {@link OnlineStore#exampleKeys} returns. A store hands over the keys in any order, also
 * repeatedly, until enough are found or {@value #KEYS_READ} have been read: a text that few keys begin with must not cost a read of
 * the whole store.
 *
 * <p><b>Threads.</b> One.
 */
public final class ExampleKeys {
    /** The most keys that are read. */
    public static final int KEYS_READ = 50_000;

    private final KeyCodec codec;
    private final String prefix;
    private final int most;
    private final Set<List<Object>> found = new LinkedHashSet<>();
    private int read;

    /** Creates an empty collection; see {@link OnlineStore#exampleKeys} for the arguments. */
    public ExampleKeys(FeatureView view, String prefix, int most) {
        this.codec = new KeyCodec(view);
        this.prefix = prefix;
        this.most = most;
    }

    /** Whether more keys are to be handed over. */
    public boolean isOpen() {
        return read < KEYS_READ && found.size() < most;
    }

    /** Adds a key, in the bytes of {@link KeyCodec#bytes}, if it begins as wanted. */
    public void add(byte[] encoded) {
        if (isOpen()) {
            read++;
            List<Object> values = codec.ofBytes(encoded);
            if (values.stream().anyMatch(value -> value.toString().startsWith(prefix))) {
                found.add(values);
            }
        }
    }

    /** The keys that were found. */
    public List<List<Object>> found() {
        return new ArrayList<>(found);
    }
}
