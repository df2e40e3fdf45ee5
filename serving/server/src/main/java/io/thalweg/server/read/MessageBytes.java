package io.thalweg.server.read;

import io.grpc.MethodDescriptor.Marshaller;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/**
 * Passes messages through as bytes: the threads that read also decode requests and encode answers, which the event loop has no time for.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class MessageBytes implements Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] message) {
        return new ByteArrayInputStream(message);
    }

    @Override
    public byte[] parse(InputStream stream) {
        try {
            return stream.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
