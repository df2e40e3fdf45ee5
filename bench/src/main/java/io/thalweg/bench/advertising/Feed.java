package io.thalweg.bench.advertising;

import java.io.Serializable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What an {@link AdSource} draws: events that follow from their numbers, how many there are by now, and their time. */
interface Feed extends Serializable {
    /** How many events may be drawn by now. */
    long limit();

    /** Completes when there may be more than {@link #limit} was after this was asked for; null where all there will be is there. */
    @Nullable
    CompletableFuture<Void> more();

    /** The watermark of a reader whose next event is this; it rises only where a window ends. */
    long watermarkMs(long next);

    /** Takes note that a reader has drawn {@code count} events more, the first of them {@code first} and none of them at or after {@code next}. */
    void reached(int reader, long first, int count, long next);
}
