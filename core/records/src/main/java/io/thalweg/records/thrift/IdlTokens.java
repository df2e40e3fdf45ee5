package io.thalweg.records.thrift;

import io.thalweg.records.schema.SchemaException;

/**
 * The tokens of an IDL text, one at a time: {@link #kind}, {@link #text} and {@link #line} describe the current one. Comments of
 * all three styles are skipped.
 */
final class IdlTokens {
    enum Kind {
        /** A name, which may contain dots. */
        NAME,
        /** A number without fraction or exponent, decimal or hexadecimal. */
        INTEGER,
        /** A number with fraction or exponent. */
        REAL,
        /** A text in quotes; {@link #text} is without them, with escapes resolved. */
        LITERAL,
        /** Any other single character. */
        SYMBOL,
        END
    }

    private final String file;
    private final String source;
    private int at;
    private int lineAt = 1;

    Kind kind = Kind.END;
    String text = "";
    int line = 1;

    IdlTokens(String file, String source) {
        this.file = file;
        this.source = source;
        this.at = source.startsWith("\uFEFF") ? 1 : 0;
        advance();
    }

    /** Moves to the next token; returns the text of the one left. */
    String next() {
        String left = text;
        advance();
        return left;
    }

    boolean is(String symbolOrName) {
        return (kind == Kind.SYMBOL || kind == Kind.NAME) && text.equals(symbolOrName);
    }

    /** Skips the current token if it is {@code symbolOrName}; returns whether it was. */
    boolean skip(String symbolOrName) {
        boolean found = is(symbolOrName);
        if (found) {
            advance();
        }
        return found;
    }

    /** Skips a comma or a semicolon, which may end any item. */
    void skipSeparator() {
        if (!skip(",")) {
            skip(";");
        }
    }

    void expect(String symbol, String hint) {
        if (!skip(symbol)) {
            throw error("expected '" + symbol + "', found " + found() + "; " + hint);
        }
    }

    String name(String what) {
        if (kind != Kind.NAME) {
            throw error("expected the name of " + what + ", found " + found());
        }
        return next();
    }

    String literal(String hint) {
        if (kind != Kind.LITERAL) {
            throw error("expected a text in quotes, found " + found() + "; " + hint);
        }
        return next();
    }

    long integer(String hint) {
        if (kind != Kind.INTEGER) {
            throw error("expected a whole number, found " + found() + "; " + hint);
        }
        try {
            long value = Long.decode(withoutLeadingZeros(text));
            advance();
            return value;
        } catch (NumberFormatException e) {
            throw error(text + " does not fit into 64 bits; write a smaller number");
        }
    }

    String found() {
        return switch (kind) {
            case END -> "the end of the file";
            case LITERAL -> "the text \"" + text + "\"";
            default -> "'" + text + "'";
        };
    }

    SchemaException error(String message) {
        return error(line, message);
    }

    SchemaException error(int where, String message) {
        return new SchemaException(file + ":" + where + ": " + message);
    }

    /** Removes leading zeros: {@code Long.decode} reads 010 as octal, which Thrift does not support. */
    private static String withoutLeadingZeros(String number) {
        int from = number.startsWith("-") || number.startsWith("+") ? 1 : 0;
        int to = from;
        while (to + 1 < number.length() && number.charAt(to) == '0' && Character.isDigit(number.charAt(to + 1))) {
            to++;
        }
        return number.substring(0, from) + number.substring(to);
    }

    private void advance() {
        skipBlanks();
        line = lineAt;
        char c = peek(0);
        if (at >= source.length()) {
            set(Kind.END, at);
        } else if (isLetter(c)) {
            set(Kind.NAME, endOfName());
        } else if (isDigit(c)
                || (c == '.' && isDigit(peek(1)))
                || (isSign(c) && (isDigit(peek(1)) || peek(1) == '.'))) {
            number();
        } else if (c == '"' || c == '\'') {
            quoted(c);
        } else {
            set(Kind.SYMBOL, at + 1);
        }
    }

    private void set(Kind kind, int end) {
        this.kind = kind;
        this.text = source.substring(at, end);
        at = end;
    }

    private int endOfName() {
        int end = at;
        while (end < source.length()
                && (isLetter(source.charAt(end)) || isDigit(source.charAt(end)) || dotInName(end))) {
            end++;
        }
        return end;
    }

    private boolean dotInName(int i) {
        return source.charAt(i) == '.'
                && i + 1 < source.length()
                && (isLetter(source.charAt(i + 1)) || isDigit(source.charAt(i + 1)));
    }

    private void number() {
        int end = isSign(peek(0)) ? at + 1 : at;
        if (source.startsWith("0x", end) || source.startsWith("0X", end)) {
            end += 2;
            while (end < source.length() && Character.digit(source.charAt(end), 16) >= 0) {
                end++;
            }
            set(Kind.INTEGER, end);
            return;
        }
        int whole = digits(end);
        end = whole;
        if (end < source.length() && source.charAt(end) == '.') {
            end = digits(end + 1);
        }
        if (end < source.length() && (source.charAt(end) == 'e' || source.charAt(end) == 'E')) {
            int exponent = end + 1 < source.length() && isSign(source.charAt(end + 1)) ? end + 2 : end + 1;
            end = digits(exponent) > exponent ? digits(exponent) : end;
        }
        set(end == whole ? Kind.INTEGER : Kind.REAL, end);
    }

    private int digits(int from) {
        int end = from;
        while (end < source.length() && isDigit(source.charAt(end))) {
            end++;
        }
        return end;
    }

    private void quoted(char quote) {
        StringBuilder value = new StringBuilder();
        int i = at + 1;
        for (; i < source.length() && source.charAt(i) != quote; i++) {
            char c = source.charAt(i);
            if (c == '\n') {
                lineAt++;
            }
            if (c == '\\' && i + 1 < source.length()) {
                c = escaped(source.charAt(++i));
            }
            value.append(c);
        }
        if (i >= source.length()) {
            throw error("the text is not closed; write " + quote + " at its end");
        }
        at = i + 1;
        kind = Kind.LITERAL;
        text = value.toString();
    }

    private char escaped(char c) {
        return switch (c) {
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case '"', '\'', '\\' -> c;
            default -> throw error("unknown escape \\" + c + "; write \\\\ for a backslash");
        };
    }

    private void skipBlanks() {
        while (at < source.length()) {
            char c = source.charAt(at);
            if (c == '#' || source.startsWith("//", at)) {
                int end = source.indexOf('\n', at);
                at = end < 0 ? source.length() : end;
            } else if (source.startsWith("/*", at)) {
                skipBlock();
            } else if (Character.isWhitespace(c)) {
                lineAt += c == '\n' ? 1 : 0;
                at++;
            } else {
                return;
            }
        }
    }

    private void skipBlock() {
        int end = source.indexOf("*/", at + 2);
        if (end < 0) {
            throw error(lineAt, "the comment is not closed; write */ at its end");
        }
        lineAt += (int) source.substring(at, end).chars().filter(c -> c == '\n').count();
        at = end + 2;
    }

    private char peek(int ahead) {
        return at + ahead < source.length() ? source.charAt(at + ahead) : '\0';
    }

    private static boolean isLetter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isSign(char c) {
        return c == '-' || c == '+';
    }
}
