package io.thalweg.jobs.compute;

import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.ViewFingerprint;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.runtime.state.StateInitializationContext;

/**
 * Describes what an operator's state was computed from, and is stored with it: the view's fingerprint and the event time from which on
 * its input is complete. An incompatible view is refused before any state is read.
 *
 * <p>Rings and windows may shrink. If the largest of them grows beyond the kept state, the view restarts its warm-up, as does a keyed
 * view whose windows change.
 */
final class ViewGuard {
    /** A code block that may throw anything. */
    interface Action {
        void run() throws Exception;
    }

    private final ListState<Tuple3<String, Long, Integer>> state;
    private final String fingerprint;
    private final int largestRing;
    private final int keptLargestRing;
    private final long coveredFromMs;
    private final boolean warmUp;

    private ViewGuard(
            ListState<Tuple3<String, Long, Integer>> state,
            String fingerprint,
            int largestRing,
            int keptLargestRing,
            long coveredFromMs,
            boolean warmUp) {
        this.state = state;
        this.fingerprint = fingerprint;
        this.largestRing = largestRing;
        this.keptLargestRing = keptLargestRing;
        this.coveredFromMs = coveredFromMs;
        this.warmUp = warmUp;
    }

    /**
     * Restores the kept description, or creates a new one.
     *
     * @param coveredFromMs event time from which on this start of the job reads all events, for new state
     *
     * @throws IncompatibleViewException if the kept state does not match the view's current definition
     */
    static ViewGuard restore(StateInitializationContext context, FeatureView view, long coveredFromMs)
            throws Exception {
        ListState<Tuple3<String, Long, Integer>> state = context.getOperatorStateStore()
                .getUnionListState(new ListStateDescriptor<>("view", Types.TUPLE(Types.STRING, Types.LONG, Types.INT)));
        String now = ViewFingerprint.of(view);
        List<Integer> rings = view.isKeyed() ? List.of(0) : view.rings();
        int largestRing = rings.get(rings.size() - 1);
        for (Tuple3<String, Long, Integer> kept : state.get()) {
            Optional<String> changed = ViewFingerprint.incompatibility(kept.f0, view);
            if (changed.isPresent()) {
                throw new IncompatibleViewException(changed.get());
            }
            boolean warmUp = ViewFingerprint.growth(kept.f0, view) == ViewFingerprint.Growth.RESTARTS_WARM_UP;
            return new ViewGuard(state, now, largestRing, kept.f2, warmUp ? coveredFromMs : kept.f1, warmUp);
        }
        return new ViewGuard(state, now, largestRing, largestRing, coveredFromMs, false);
    }

    void snapshot() throws Exception {
        state.clear();
        state.add(Tuple3.of(fingerprint, coveredFromMs, largestRing));
    }

    long coveredFromMs() {
        return coveredFromMs;
    }

    void dropIfWarmingUp(Action drop) throws Exception {
        if (warmUp) {
            drop.run();
        }
    }

    /** Returns whether the kept state is used and reaches farther from each tile than the view does now. */
    boolean shrunk() {
        return !warmUp && keptLargestRing > largestRing;
    }

    /** The largest ring that the state was kept for. */
    int keptLargestRing() {
        return keptLargestRing;
    }
}
