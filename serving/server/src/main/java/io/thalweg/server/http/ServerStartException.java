package io.thalweg.server.http;

/** Thrown if the server cannot listen; the message is one line that names the setting and the remedy. */
public final class ServerStartException extends RuntimeException {
    public ServerStartException(String message, Throwable cause) {
        super(message, cause);
    }
}
