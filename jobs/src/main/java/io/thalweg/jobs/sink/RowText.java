package io.thalweg.jobs.sink;

import io.thalweg.model.FeatureView;
import io.thalweg.model.KeyedRowBlock;
import io.thalweg.model.KeyedRowJson;
import io.thalweg.model.RowBlock;
import io.thalweg.model.RowJson;
import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/** The first row of a block as JSON, for a dead letter. */
final class RowText {
    private final @Nullable RowJson withRings;
    private final @Nullable KeyedRowJson keyed;

    RowText(FeatureView view) {
        withRings = view.isKeyed() ? null : new RowJson(view);
        keyed = view.isKeyed() ? new KeyedRowJson(view) : null;
    }

    byte[] of(RowBlock block) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        java.util.Objects.requireNonNull(withRings).write(block, 0, out);
        return out.toByteArray();
    }

    byte[] of(KeyedRowBlock block) {
        return java.util.Objects.requireNonNull(keyed).value(block, 0);
    }
}
