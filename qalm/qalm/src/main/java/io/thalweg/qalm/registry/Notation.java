package io.thalweg.qalm.registry;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A notation for rules, such as YAML, which converts text to a tree and back. {@link #read} must return the same tree for the
 * text that {@link #write} returns.
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
