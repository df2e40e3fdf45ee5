package io.thalweg.formats.view;

import io.thalweg.formats.DeadLetter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of one event for one view.
 *
 * @param view index of the view
 * @param eventTimeMs epoch ms, if it was read
 * @param cell H3 index if the event was accepted, otherwise 0; likewise {@code group} (otherwise empty), {@code idHi}, {@code
 *     idLo}
 * @param group for a keyed view, the key
 * @param matches for a keyed view, as {@link ViewReader#matches}; likewise {@code inputs}
 * @param deadLetter set iff the event is bad or late
 */
public record EventVerdict(
        int view,
        EventOutcome outcome,
        @Nullable Long eventTimeMs,
        long cell,
        List<Object> group,
        long idHi,
        long idLo,
        long matches,
        long[] inputs,
        @Nullable DeadLetter deadLetter) {
    private static final long[] NO_INPUTS = {};

    /** Creates the verdict on an event that is not counted. */
    static EventVerdict uncounted(
            int view, EventOutcome outcome, @Nullable Long eventTimeMs, @Nullable DeadLetter letter) {
        return new EventVerdict(view, outcome, eventTimeMs, 0, List.of(), 0, 0, 0, NO_INPUTS, letter);
    }

    /** Creates the verdict on the event that a reader accepted last. */
    static EventVerdict accepted(int view, long eventTimeMs, ViewReader reader) {
        return new EventVerdict(
                view,
                EventOutcome.ACCEPTED,
                eventTimeMs,
                reader.cell(),
                reader.group(),
                reader.idHi(),
                reader.idLo(),
                reader.matches(),
                reader.inputs().clone(),
                null);
    }
}
