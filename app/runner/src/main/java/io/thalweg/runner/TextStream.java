package io.thalweg.runner;

import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/** Prints the bytes of whole UTF-8 lines. */
final class TextStream extends OutputStream {
    private final PrintWriter out;

    TextStream(PrintWriter out) {
        this.out = out;
    }

    @Override
    public void write(int b) {
        out.write(b);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        out.write(new String(bytes, offset, length, StandardCharsets.UTF_8));
    }

    @Override
    public void flush() {
        out.flush();
    }
}
