package io.thalweg.model.yaml;

import java.util.LinkedHashMap;
import java.util.Map;

/** Describes why a text is not YAML, in words for the author of the text. */
final class YamlFault {
    /** Our words by a part of the parser's; the first that fits. */
    private static final Map<String, String> WORDS = new LinkedHashMap<>();

    static {
        WORDS.put("TAB", "a tab; indent with spaces");
        WORDS.put("<block end>", "the line is not indented as the lines above it");
        WORDS.put(
                "mapping values are not allowed",
                "a ':' that does not belong here; check the indentation, and quote text with ': '");
        WORDS.put("could not find expected ':'", "a key without ':' behind it");
        WORDS.put("expected ','", "a list or map in brackets lacks a comma or its closing bracket");
        WORDS.put("expected the node content", "a value is missing, or a bracket is not closed");
        WORDS.put("unexpected end of stream", "text in quotes is not closed");
        WORDS.put("unexpected document separator", "text in quotes is not closed");
        WORDS.put("alias", "an alias (*) without its anchor (&); quote text that begins with *");
        WORDS.put("anchor", "a name of an anchor (&) that is not valid; quote text that begins with &");
        WORDS.put("escape", "an unknown escape in double quotes; use single quotes");
        WORDS.put("cannot start any token", "a character that cannot begin a value; quote the text");
        WORDS.put("<document start>", "text behind the end of the document; check the indentation");
        WORDS.put("special characters are not allowed", "a control character");
    }

    private YamlFault() {}

    /** Returns our words for a message of the parser. */
    static String words(String parsers) {
        return WORDS.entrySet().stream()
                .filter(each -> parsers.contains(each.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse("the text is malformed");
    }
}
