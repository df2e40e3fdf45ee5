package io.thalweg.bench.publish;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** {@code HSET}s over one connection, so many on their way at a time; every reply is read. <b>Threads.</b> One. */
final class PlainCalls implements Closeable {
    private static final int BUFFER_BYTES = 1 << 16;

    private final Socket socket;
    private final OutputStream out;
    private final InputStream in;
    private final int together;
    private int sent;

    PlainCalls(int port, int together) throws IOException {
        this.together = together;
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        out = new BufferedOutputStream(socket.getOutputStream(), BUFFER_BYTES);
        in = new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES);
    }

    void hset(String key, String field, String value) {
        try {
            StringBuilder call = new StringBuilder("*4\r\n$4\r\nHSET\r\n");
            for (String word : new String[] {key, field, value}) {
                call.append('$')
                        .append(word.length())
                        .append("\r\n")
                        .append(word)
                        .append("\r\n");
            }
            out.write(call.toString().getBytes(StandardCharsets.US_ASCII));
            if (++sent == together) {
                settle();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns when all calls are answered. */
    void settle() throws IOException {
        out.flush();
        for (; sent > 0; sent--) {
            int first = in.read();
            if (first != ':') {
                throw new IOException("HSET was answered with '" + (char) first + "'");
            }
            while (in.read() != '\n') {
                // The number of new fields, which says nothing here.
            }
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
