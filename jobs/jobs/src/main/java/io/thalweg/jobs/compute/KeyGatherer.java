package io.thalweg.jobs.compute;

import io.thalweg.formats.view.ViewReader;
import io.thalweg.jobs.block.KeyedShardBlock;
import io.thalweg.kernel.keyed.KeyForm;
import io.thalweg.kernel.keyed.KeyedSpec;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.KeyedPlan;
import java.util.function.Consumer;

/** Gathers events of a keyed view as they are read. Keys of bytes are identified by the reader's numbers until they are sent. */
final class KeyGatherer extends ShardGatherer {
    private final KeyedGatherer events;
    private final boolean keysAreBytes;

    KeyGatherer(FeatureView view, ViewReader reader, Consumer<? super KeyedShardBlock> output) {
        super(reader);
        KeyedSpec spec = KeyedPlan.of(view).spec();
        this.keysAreBytes = spec.keys() == KeyForm.BYTES;
        this.events = new KeyedGatherer(spec, reader::groupBytes, Combiner.BUCKET_BITS, output);
    }

    @Override
    void add(long pane) {
        if (keysAreBytes) {
            events.add(0, reader.groupIndex(), pane, reader.matches(), reader.inputs());
        } else {
            events.add(reader.keyHigh(), reader.keyLow(), pane, reader.matches(), reader.inputs());
        }
    }

    @Override
    void send() {
        events.flush();
    }

    @Override
    void forgetGroups() {
        events.forgetKeys();
    }
}
