package io.thalweg.model.problem;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Describes why a text is not JSON, in words for the author of the text: the parser's words name its own switches. */
public final class JsonFault {
    private static final int SHOWN_MAX = 40;
    private static final Pattern TOKEN = Pattern.compile("^(?:Unrecognized|Non-standard) token '([^']*)'");
    private static final Pattern CHARACTER = Pattern.compile("^Unexpected character \\(.*?\\(code (\\d+)");
    private static final Pattern DUPLICATE =
            Pattern.compile("^Duplicate (?:field|Object property) [\"'](.*)[\"']", Pattern.DOTALL);

    private JsonFault() {}

    /** Returns what is wrong, in one line, without the place. */
    public static String words(JsonProcessingException e) {
        String parsers = String.valueOf(e.getOriginalMessage());
        if (e instanceof JsonEOFException) {
            return "it ends too early";
        }
        if (e instanceof StreamConstraintsException) {
            return "it is nested too deeply, or has a value that is too long";
        }
        Matcher token = TOKEN.matcher(parsers);
        if (token.find()) {
            return "'" + shown(token.group(1)) + "' is not a value; text must be in double quotes";
        }
        Matcher duplicate = DUPLICATE.matcher(parsers);
        if (duplicate.find()) {
            return "the key '" + shown(duplicate.group(1)) + "' is there twice";
        }
        Matcher character = CHARACTER.matcher(parsers);
        if (character.find()) {
            return "unexpected " + character(Integer.parseInt(character.group(1)));
        }
        if (parsers.startsWith("Trailing token")) {
            return "text follows the value";
        }
        if (parsers.startsWith("Illegal unquoted character")) {
            return "a control character in text must be escaped";
        }
        if (parsers.startsWith("Invalid numeric value")) {
            return "a number is malformed";
        }
        if (parsers.contains("escape")) {
            return "an unknown escape in text";
        }
        return parsers.contains("UTF-8") || parsers.contains("UTF-32") ? "it is not UTF-8" : "it is malformed";
    }

    /** Returns what is wrong, and where: {@code unexpected '}' at line 3, column 7}. */
    public static String wordsAndPlace(JsonProcessingException e) {
        JsonLocation at = e.getLocation();
        return words(e) + (at == null ? "" : " at line " + at.getLineNr() + ", column " + at.getColumnNr());
    }

    private static String character(int code) {
        return code < ' ' || code > 0xFFFF ? "character " + code : "'" + (char) code + "'";
    }

    private static String shown(String text) {
        String line = text.replaceAll("\\p{Cntrl}", " ");
        return line.length() <= SHOWN_MAX ? line : line.substring(0, SHOWN_MAX) + "…";
    }
}
