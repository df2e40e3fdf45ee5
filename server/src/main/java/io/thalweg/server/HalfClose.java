package io.thalweg.server;

import com.linecorp.armeria.common.HttpRequest;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;

/**
 * Ends the server's side of an HTTP/1 connection right after its last answer. Armeria closes the connection three seconds later,
 * so that a client which is still sending a refused body can read the answer.
 *
 * <p><b>Threads.</b> One per connection; called on its event loop.
 */
final class HalfClose extends ChannelDuplexHandler {
    private int unanswered;
    private boolean last;

    private HalfClose() {}

    /** Adds a handler between the decoder and the server, to the pipeline of a connection without TLS. */
    static void addTo(ChannelPipeline connection) {
        connection.addBefore(connection.lastContext().name(), null, new HalfClose());
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof HttpRequest) {
            unanswered++;
        }
        ctx.fireChannelRead(message);
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        if (message instanceof HttpResponse response) {
            last = !HttpUtil.isKeepAlive(response);
        }
        ChannelPromise written = promise;
        if (message instanceof LastHttpContent) {
            unanswered--; // a request that cannot be decoded was not counted
            if (last && unanswered <= 0 && ctx.channel() instanceof DuplexChannel channel) {
                written = promise.unvoid();
                written.addListener(done -> {
                    var unused = channel.shutdownOutput();
                });
            }
        }
        var unused = ctx.write(message, written);
    }
}
