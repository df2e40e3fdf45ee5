package io.thalweg.server.console;

import com.fasterxml.jackson.databind.JsonNode;
import io.thalweg.model.view.FeatureView;
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
     * @param partition of the dead-letter topic; identifies the letter together with {@code offset}
     * @param atMs when it was written, epoch ms
     * @param json as in the topic, except that {@code raw} may be cut off
     */
    record Letter(int partition, long offset, long atMs, JsonNode json) {}

    /**
     * The outcome of judging the event of a letter now.
     *
     * @param outcome such as {@code accepted}; {@code unknown} if the letter does not contain the whole event
     * @param reason of a bad event
     * @param detail names the field, the rule and the value
     */
    record Judgement(
            String outcome,
            @Nullable String reason,
            @Nullable String detail) {}

    /**
     * Returns the newest letters of a view, the newest first. It reads only the end of the topic, so there may be more.
     *
     * @param reason of all of them; null = any
     * @param limit the most letters to return
     * @throws IOException if they cannot be read now
     */
    List<Letter> latest(FeatureView view, @Nullable String reason, int limit) throws IOException;

    /**
     * Judges the event of a letter again, on its own, so it is never late.
     *
     * @return empty if the view does not have this letter any more
     * @throws IOException as above
     */
    Optional<Judgement> judge(FeatureView view, int partition, long offset) throws IOException;
}
