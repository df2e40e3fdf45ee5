package io.thalweg.runner;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** Aligned columns of text under a header: the first ones to the left, numbers to the right. */
public final class TextTable {
    private final List<List<String>> lines = new ArrayList<>();
    private final int left;

    /**
     * Creates a table with a header.
     *
     * @param left how many columns are aligned to the left
     */
    public TextTable(int left, List<String> head) {
        this.left = left;
        lines.add(List.copyOf(head));
    }

    /** Adds a line with as many cells as the header. */
    public TextTable add(List<String> line) {
        lines.add(List.copyOf(line));
        return this;
    }

    /** Prints the table, each line indented. */
    public void print(PrintWriter out, String indent) {
        int columns = lines.get(0).size();
        int[] widths = new int[columns];
        for (List<String> line : lines) {
            for (int c = 0; c < columns; c++) {
                widths[c] = Math.max(widths[c], line.get(c).length());
            }
        }
        for (List<String> line : lines) {
            StringBuilder text = new StringBuilder(indent);
            for (int c = 0; c < columns; c++) {
                String pad = " ".repeat(widths[c] - line.get(c).length());
                text.append(c == 0 ? "" : "  ").append(c < left ? line.get(c) + pad : pad + line.get(c));
            }
            out.println(text.toString().stripTrailing());
        }
    }
}
