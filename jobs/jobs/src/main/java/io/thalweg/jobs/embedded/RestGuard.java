package io.thalweg.jobs.embedded;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelFutureListener;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandlerContext;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelInboundHandlerAdapter;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.DefaultFullHttpResponse;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpHeaderNames;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpMethod;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpRequest;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpResponseStatus;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpVersion;
import org.apache.flink.shaded.netty4.io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/**
 * Restricts Flink's embedded REST endpoint to reads by this process and by a parent that chose its secret. A request must be a
 * GET of a resource that changes nothing, address the loopback host, carry no Origin header (as web pages do), and carry the
 * secret of this process. Any other request is answered with 403, and its connection is closed before a byte of its body is read.
 *
 * <p>Not every GET of Flink is a read: {@code /jobs/ID/yarn-cancel} cancels the job, which ends a mini cluster.
 */
final class RestGuard extends ChannelInboundHandlerAdapter {
    /** The secret of the endpoints. Flink masks it wherever it prints its configuration. */
    static final ConfigOption<String> SECRET =
            ConfigOptions.key("thalweg.rest.secret").stringType().noDefaultValue();

    private static final Pattern READS =
            Pattern.compile("/(overview|jobs|taskmanagers|jobmanager)(/(?!yarn-)[\\w.:-]+)*(\\?.*)?");
    private static final Pattern THIS_MACHINE = Pattern.compile("(localhost|127\\.0\\.0\\.1|\\[::1])(:\\d+)?");

    private final byte[] authorization;
    private boolean refused;

    RestGuard(String secret) {
        authorization = authorization(secret).getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Returns the secret of this process: the one its parent chose, so that the parent can read the endpoint too, or a random
     * one.
     */
    static String secret(Map<String, String> environment) {
        String chosen = environment.getOrDefault("THALWEG_REST_SECRET", "");
        return chosen.isBlank() ? UUID.randomUUID().toString() : chosen;
    }

    static String authorization(String secret) {
        return "Bearer " + secret;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof HttpRequest request && !isAllowed(request)) {
            refused = true;
            var unused = context.writeAndFlush(
                            new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.FORBIDDEN))
                    .addListener(ChannelFutureListener.CLOSE);
        }
        if (refused) {
            ReferenceCountUtil.release(message);
        } else {
            context.fireChannelRead(message);
        }
    }

    private boolean isAllowed(HttpRequest request) {
        String host = request.headers().get(HttpHeaderNames.HOST);
        return request.method().equals(HttpMethod.GET)
                && READS.matcher(request.uri()).matches()
                && host != null
                && THIS_MACHINE.matcher(host).matches()
                && !request.headers().contains(HttpHeaderNames.ORIGIN)
                && isOurs(request.headers().get(HttpHeaderNames.AUTHORIZATION));
    }

    private boolean isOurs(@Nullable String given) {
        return given != null && MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), authorization);
    }
}
