package io.thalweg.jobs.embedded;

import java.util.Map;
import java.util.Optional;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.io.network.netty.InboundChannelHandlerFactory;
import org.apache.flink.runtime.rest.FileUploadHandler;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandler;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandlerAdapter;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandlerContext;

/** Puts a {@link RestGuard} in front of Flink's REST endpoints of this process. Flink discovers it as a service. */
public final class RestGuardFactory implements InboundChannelHandlerFactory {
    @Override
    public int priority() {
        return 0;
    }

    @Override
    public Optional<ChannelHandler> createHandler(Configuration configuration, Map<String, String> responseHeaders) {
        return configuration.getOptional(RestGuard.SECRET).map(Installer::new);
    }

    /** Flink adds handlers after the one that writes uploads to disk; the guard must come before it. */
    private static final class Installer extends ChannelHandlerAdapter {
        private final String secret;

        Installer(String secret) {
            this.secret = secret;
        }

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            String uploads = context.pipeline().context(FileUploadHandler.class).name();
            context.pipeline().addBefore(uploads, "guard", new RestGuard(secret));
            context.pipeline().remove(this);
        }
    }
}
