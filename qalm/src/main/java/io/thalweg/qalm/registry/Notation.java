package io.thalweg.qalm.registry;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A notation in which rules are written, such as YAML: text to a tree and back. What {@link #write} returns must {@link #read} as
 * the same tree.
 *
 * <p><b>Shape.</b> A tree consists of {@link Map}s with text keys, text, whole numbers as {@link Integer}, other numbers and
 * booleans. <b>Threads.</b> Implementations are safe.
 */
public interface Notation {
    /**
     * Reads a document.
     *
     * @param name of the document, for messages
     * @return the tree; null if the text holds no document
     * @throws RulesException if the text is not in this notation
     */
    @Nullable
    Object read(String name, String text);

    /** Writes a tree. */
    String write(Map<String, Object> tree);
}
