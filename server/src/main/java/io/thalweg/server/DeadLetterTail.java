package io.thalweg.server;

import com.fasterxml.jackson.databind.JsonNode;
import io.thalweg.model.FeatureView;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The newest dead letters of views.
 *
 * <p><b>Threads.</b> Safe. All methods block.
 */
public interface DeadLetterTail {
    /**
     * A dead letter.
     *
     * @param partition of the topic of dead letters; with {@code offset} its name
     * @param atMs when it was written, epoch ms
     * @param json as it is in the topic, but that {@code raw} may be only the begin of a long text
     */
    record Letter(int partition, long offset, long atMs, JsonNode json) {}

    /**
     * What a view makes of the event of a letter now.
     *
     * @param outcome such as {@code accepted}; {@code unknown} if the letter does not hold the whole event
     * @param reason of a bad event
     * @param detail names the field, the rule and the value
     */
    record Judgement(
            String outcome,
            @Nullable String reason,
            @Nullable String detail) {}

    /**
     * The newest letters of a view, the newest first. Only the end of the topic is read, so there may be more.
     *
     * @param reason of all of them; null = any
     * @param limit at most so many
     * @throws IOException if they cannot be read now
     */
    List<Letter> latest(FeatureView view, @Nullable String reason, int limit) throws IOException;

    /**
     * Judges the event of a letter again, by itself: nothing is late then.
     *
     * @return empty if there is no such letter of the view any more
     * @throws IOException as above
     */
    Optional<Judgement> judge(FeatureView view, int partition, long offset) throws IOException;
}
