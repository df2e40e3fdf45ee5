package io.thalweg.verify;

import io.thalweg.formats.view.EventOutcome;
import io.thalweg.formats.view.EventVerdict;
import io.thalweg.kernel.naive.NaiveFeatures;
import io.thalweg.kernel.naive.NaiveRow;
import io.thalweg.kernel.pane.PaneClock;
import io.thalweg.model.row.GroupCodec;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.Measure;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;

/** Computes the rows of a view by a naive recount from the verdicts on its events. Not safe to share between threads. */
public sealed interface Recount {
    /** Creates an empty recount of a view. */
    public static Recount of(FeatureView view) {
        return view.isKeyed() ? new OfKeys(view) : new OfRings(view);
    }

    /** Counts an event if it was accepted. */
    public void add(EventVerdict verdict);

    /** The number of accepted events. */
    public long accepted();

    /** Passes all rows to the consumer, by window end. */
    public void forEachRow(Consumer<ComparedRow> consumer);

    /** The recount of a view with rings. */
    final class OfRings implements Recount {
        private final GroupCodec groups;
        private final PaneClock clock;
        private final boolean distinct;
        private final NaiveFeatures features;
        private long accepted;

        private OfRings(FeatureView view) {
            groups = new GroupCodec(view.group());
            clock = view.clock();
            distinct = view.measure() instanceof Measure.CountDistinct;
            int[] rings = view.rings().stream().mapToInt(Integer::intValue).toArray();
            features = new NaiveFeatures(
                    view.cell().resolution(), rings, view.windows().panes());
        }

        @Override
        public void add(EventVerdict verdict) {
            Long timeMs = verdict.eventTimeMs();
            if (verdict.outcome() != EventOutcome.ACCEPTED || timeMs == null) {
                return;
            }
            accepted++;
            long pane = clock.pane(timeMs);
            // NaiveFeatures takes the group as text, so each byte becomes one char.
            String group = new String(groups.encode(verdict.group()), StandardCharsets.ISO_8859_1);
            if (distinct) {
                features.add(verdict.cell(), group, pane, verdict.idHi(), verdict.idLo());
            } else {
                features.addCount(verdict.cell(), group, pane);
            }
        }

        @Override
        public long accepted() {
            return accepted;
        }

        @Override
        public void forEachRow(Consumer<ComparedRow> consumer) {
            features.forEachRow(row -> consumer.accept(row(row)));
        }

        private ComparedRow row(NaiveRow row) {
            List<Object> group = groups.decode(row.group().getBytes(StandardCharsets.ISO_8859_1));
            return ComparedRow.of(row.cell(), group, clock.endMs(row.end()), row.values());
        }
    }

    /** The recount of a keyed view. */
    final class OfKeys implements Recount {
        private final KeyCodec keys;
        private final KeyedRecount recount;

        private OfKeys(FeatureView view) {
            keys = new KeyCodec(view);
            recount = new KeyedRecount(view);
        }

        @Override
        public void add(EventVerdict verdict) {
            recount.add(verdict);
        }

        @Override
        public long accepted() {
            return recount.accepted();
        }

        @Override
        public void forEachRow(Consumer<ComparedRow> consumer) {
            recount.forEachRow((KeyedRowBlock row) -> consumer.accept(ComparedRow.of(row, keys)));
        }
    }
}
