package io.thalweg.bench.stores;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a Redis on this machine that sends many commands before it reads their replies: as fast as a client can be, so
 * that the client does not slow down any measured system.
 *
 * <p><b>Threads.</b> One.
 */
public final class RedisPipe implements Closeable {
    private static final int BUFFER_BYTES = 1 << 16;
    /** How many commands {@link #command} sends before it reads their replies. */
    private static final int TOGETHER = 500;

    private final Socket socket;
    private final OutputStream out;
    private final InputStream in;
    private byte[] unsent = new byte[BUFFER_BYTES];
    private int length;
    private int open;

    public RedisPipe(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        out = socket.getOutputStream();
        in = new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES);
    }

    /** Returns a text as a word of a command. */
    public static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns a number as a word of a command. */
    public static byte[] bytes(long number) {
        return bytes(Long.toString(number));
    }

    /** Adds a command to those that {@link #send} sends. */
    public void add(byte[]... words) {
        header('*', words.length);
        for (byte[] word : words) {
            header('$', word.length);
            room(word.length + 2);
            System.arraycopy(word, 0, unsent, length, word.length);
            length += word.length;
            newLine();
        }
    }

    private void header(char kind, int number) {
        byte[] digits = bytes(number);
        room(digits.length + 3);
        unsent[length++] = (byte) kind;
        System.arraycopy(digits, 0, unsent, length, digits.length);
        length += digits.length;
        newLine();
    }

    private void newLine() {
        unsent[length++] = '\r';
        unsent[length++] = '\n';
    }

    private void room(int bytes) {
        if (length + bytes > unsent.length) {
            unsent = Arrays.copyOf(unsent, Math.max(2 * unsent.length, length + bytes));
        }
    }

    /** Adds a command whose reply does not matter, unless Redis refuses it. */
    public void command(byte[]... words) throws IOException {
        add(words);
        if (++open >= TOGETHER) {
            settle();
        }
    }

    /** Returns when all commands are answered. */
    public void settle() throws IOException {
        send();
        for (; open > 0; open--) {
            Object unused = reply();
        }
    }

    /** Sends one command and waits for its reply. */
    public @Nullable Object ask(byte[]... words) throws IOException {
        add(words);
        send();
        return reply();
    }

    /** Sends the commands that were added. */
    public void send() throws IOException {
        out.write(unsent, 0, length);
        length = 0;
    }

    /** Returns the next reply, which must be a text; null if there is none. */
    public byte @Nullable [] text() throws IOException {
        return (byte[]) reply();
    }

    /** Returns the next reply: a number, bytes, a list of these, or null. */
    public @Nullable Object reply() throws IOException {
        int kind = in.read();
        return switch (kind) {
            case '+' -> bytes(line());
            case ':' -> Long.parseLong(line());
            case '$' -> bulk(Integer.parseInt(line()));
            case '*' -> list(Integer.parseInt(line()));
            case '-' -> throw new IOException("Redis refused: " + line());
            case -1 -> throw new EOFException("Redis has gone");
            default -> throw new IOException("not a reply of Redis: " + kind);
        };
    }

    private byte @Nullable [] bulk(int bytes) throws IOException {
        if (bytes < 0) {
            return null;
        }
        byte[] bulk = in.readNBytes(bytes);
        if (bulk.length < bytes || in.readNBytes(2).length < 2) {
            throw new EOFException("Redis has gone");
        }
        return bulk;
    }

    private List<@Nullable Object> list(int size) throws IOException {
        List<@Nullable Object> list = new ArrayList<>(Math.max(0, size));
        for (int i = 0; i < size; i++) {
            list.add(reply());
        }
        return list;
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int b = in.read(); b != '\r'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("Redis has gone");
            }
            line.append((char) b);
        }
        int unused = in.read();
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
