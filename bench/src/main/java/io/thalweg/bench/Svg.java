package io.thalweg.bench;

import java.util.Locale;

/** A drawing on white, put together piece by piece. */
public final class Svg {
    private final StringBuilder text = new StringBuilder();

    /** Begins a drawing, in pixels. */
    public Svg(double width, double height, String fontFamily, int fontSize) {
        put(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" font-family=\"%s\" font-size=\"%d\">%n",
                width, height, fontFamily, fontSize);
        put("<rect width=\"%.0f\" height=\"%.0f\" fill=\"#fff\"/>%n", width, height);
    }

    /** Adds a piece; text among the values is to be {@linkplain #escaped escaped}. */
    public void put(String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values));
    }

    /** Text as it may stand in the drawing. */
    public static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    /** The whole. */
    public String end() {
        return text + "</svg>" + System.lineSeparator();
    }
}
