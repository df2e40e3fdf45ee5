package io.thalweg.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A connection of single HTTP/2 frames: it sends what clients do not, and shows what they hide. */
final class RawHttp2 implements AutoCloseable {
    static final int HEADERS = 1;
    static final int RST_STREAM = 3;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int END_STREAM = 1;

    private static final int SETTINGS = 4;
    private static final int WINDOW_UPDATE = 8;
    private static final int CONTINUATION = 9;
    private static final int END_HEADERS = 4;
    private static final int FRAME_BYTES_MAX = 16 << 10;

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;
    private final DefaultHttp2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder();
    private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder();

    /** A frame; {@code headers} is empty except in a frame of headers. */
    record Frame(int type, int flags, int stream, Http2Headers headers) {}

    RawHttp2(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        in = new DataInputStream(socket.getInputStream());
        out = new DataOutputStream(socket.getOutputStream());
        out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        send(SETTINGS, 0, 0, Unpooled.EMPTY_BUFFER);
    }

    private void send(int type, int flags, int stream, ByteBuf payload) throws IOException {
        int length = payload.readableBytes();
        out.writeByte(length >> 16);
        out.writeShort(length);
        out.writeByte(type);
        out.writeByte(flags);
        out.writeInt(stream);
        payload.readBytes(out, length);
        out.flush();
    }

    /** Sends the headers of a gRPC call, whose body may follow unless {@code flags} end the stream. */
    void call(int stream, int flags, String path, String name, String value) throws Exception {
        Http2Headers headers = new DefaultHttp2Headers()
                .method("POST")
                .scheme("http")
                .authority("localhost")
                .path(path)
                .add("content-type", "application/grpc")
                .add(name, value);
        ByteBuf block = Unpooled.buffer();
        encoder.encodeHeaders(stream, headers, block);
        int type = HEADERS;
        int all = flags;
        while (block.readableBytes() > FRAME_BYTES_MAX) {
            send(type, all, stream, block.readSlice(FRAME_BYTES_MAX));
            type = CONTINUATION;
            all = 0;
        }
        send(type, all | END_HEADERS, stream, block);
    }

    void ping() throws IOException {
        send(PING, 0, 0, Unpooled.buffer().writeZero(Long.BYTES));
    }

    /** Returns the next frame that does not only concern the connection's settings and windows. */
    Frame next() throws Exception {
        while (true) {
            int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
            int type = in.readUnsignedByte();
            int flags = in.readUnsignedByte();
            int stream = in.readInt();
            ByteBuf payload = Unpooled.wrappedBuffer(in.readNBytes(length));
            if (type != SETTINGS && type != WINDOW_UPDATE) {
                Http2Headers headers =
                        type == HEADERS ? decoder.decodeHeaders(stream, payload) : new DefaultHttp2Headers();
                return new Frame(type, flags, stream, headers);
            }
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
