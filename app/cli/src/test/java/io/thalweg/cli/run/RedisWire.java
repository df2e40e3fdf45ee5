package io.thalweg.cli.run;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Sends one line to a Redis server, as with redis-cli. */
record RedisWire(int port) {
    /** The first line of the answer, without the sign of its type. */
    String say(String command) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            String answer = String.valueOf(in.readLine());
            if (answer.startsWith("-") || answer.equals("null")) {
                throw new IOException(command + " was answered " + answer);
            }
            return answer.substring(1);
        }
    }

    long keys() throws IOException {
        return Long.parseLong(say("DBSIZE"));
    }

    /** Returns a digest of the data, to compare two servers, or one at two times. */
    String digest() throws IOException {
        return say("DEBUG DIGEST");
    }
}
