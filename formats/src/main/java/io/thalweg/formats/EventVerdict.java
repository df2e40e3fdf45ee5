package io.thalweg.formats;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What became of one event for one view.
 *
 * @param view index of the view
 * @param eventTimeMs epoch ms, where it was read
 * @param cell H3 index if the event was accepted, else 0; likewise {@code group} (else empty), {@code idHi}, {@code idLo}
 * @param deadLetter why and what, iff the event is bad or late
 */
public record EventVerdict(
        int view,
        Outcome outcome,
        @Nullable Long eventTimeMs,
        long cell,
        List<Object> group,
        long idHi,
        long idLo,
        @Nullable DeadLetter deadLetter) {}
