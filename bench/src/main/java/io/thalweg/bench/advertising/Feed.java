package io.thalweg.bench.advertising;

import java.io.Serializable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The events that an {@link AdSource} draws: each follows from its number. A feed determines how many may be drawn, and their time. */
interface Feed extends Serializable {
    /** How many events may be drawn by now. */
    long limit();

    /** Completes when {@link #limit} may have risen since this call; null if all events are available. */
    @Nullable
    CompletableFuture<Void> more();

    /** Returns the watermark of a reader whose next event is this; it rises only where a window ends. */
    long watermarkMs(long next);

    /** Records that a reader has drawn more events. */
    default void countDrawn(int reader, int count) {}
}
