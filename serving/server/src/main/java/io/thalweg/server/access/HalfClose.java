package io.thalweg.server.access;

import com.linecorp.armeria.common.HttpRequest;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import org.jspecify.annotations.Nullable;

/**
 * Ends the server's side of an HTTP/1 connection right after its last answer. Armeria closes the connection three seconds later,
 * so that a client which is still sending a refused body can read the answer.
 *
 * <p><b>Threads.</b> One per connection; called on its event loop.
 */
final class HalfClose extends ChannelDuplexHandler {
    private static final String HTTP_2 = "h2";

    private int unanswered;
    private boolean last;

    private HalfClose() {}

    /** Adds a handler between the decoder and the server, to the pipeline of a connection. */
    static void addTo(ChannelPipeline connection) {
        connection.addBefore(connection.lastContext().name(), null, new HalfClose());
    }

    /** Adds the handler to the pipeline of a connection with TLS, as soon as it is known to be one of HTTP/1. */
    static void addAfterHandshake(ChannelPipeline connection) {
        connection.addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                if (event instanceof SslHandshakeCompletionEvent handshake) {
                    SslHandler tls = ctx.pipeline().get(SslHandler.class);
                    if (handshake.isSuccess() && !HTTP_2.equals(tls.applicationProtocol())) {
                        addTo(ctx.pipeline());
                    }
                    ctx.pipeline().remove(this);
                }
                ctx.fireUserEventTriggered(event);
            }
        });
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
                written.addListener(done -> shutdownOutput(ctx.pipeline().get(SslHandler.class), channel));
            }
        }
        var unused = ctx.write(message, written);
    }

    /** Ends the server's side; with TLS, tells the client before, so that it does not take the answer for cut off. */
    private static void shutdownOutput(@Nullable SslHandler tls, DuplexChannel channel) {
        if (tls == null) {
            var unused = channel.shutdownOutput();
        } else {
            tls.closeOutbound().addListener(told -> {
                var unused = channel.shutdownOutput();
            });
        }
    }
}
