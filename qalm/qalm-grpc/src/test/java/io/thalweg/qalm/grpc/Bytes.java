package io.thalweg.qalm.grpc;

import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Methods whose messages are text, which is sufficient for a service. */
public final class Bytes implements MethodDescriptor.Marshaller<String> {
    public static final MethodDescriptor<String, String> READ = method("test.Service/Read", MethodType.UNARY);
    public static final MethodDescriptor<String, String> OTHER = method("test.Service/Other", MethodType.UNARY);
    public static final MethodDescriptor<String, String> WATCH =
            method("test.Service/Watch", MethodType.BIDI_STREAMING);
    public static final MethodDescriptor<String, String> HEALTH =
            method("grpc.health.v1.Health/Check", MethodType.UNARY);

    static MethodDescriptor<String, String> method(String name, MethodType type) {
        return MethodDescriptor.newBuilder(new Bytes(), new Bytes())
                .setFullMethodName(name)
                .setType(type)
                .build();
    }

    @Override
    public InputStream stream(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String parse(InputStream stream) {
        try {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
