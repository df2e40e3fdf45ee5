package io.thalweg.bench.qalm;

import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.thalweg.bench.load.GrpcReaders.BytesMarshaller;
import io.thalweg.qalm.wire.CallHeaders;
import java.nio.ByteBuffer;

/** The protocol of both sides: a method takes the microseconds that the call lasts and returns the same. */
final class Wire {
    static final String SERVICE = "bench.Service";
    static final Metadata.Key<String> CALLER = Metadata.Key.of(CallHeaders.CALLER, Metadata.ASCII_STRING_MARSHALLER);

    private static final MethodDescriptor.Marshaller<byte[]> BYTES = new BytesMarshaller();

    private Wire() {}

    static MethodDescriptor<byte[], byte[]> method(String name) {
        return MethodDescriptor.newBuilder(BYTES, BYTES)
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName(fullName(name))
                .build();
    }

    static String fullName(String method) {
        return MethodDescriptor.generateFullMethodName(SERVICE, method);
    }

    static byte[] micros(long micros) {
        return ByteBuffer.allocate(Long.BYTES).putLong(micros).array();
    }

    static long micros(byte[] said) {
        return ByteBuffer.wrap(said).getLong();
    }
}
