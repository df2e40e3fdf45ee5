package io.thalweg.server;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceOptions;
import com.linecorp.armeria.server.ServiceRequestContext;
import com.linecorp.armeria.server.SimpleDecoratingHttpService;
import java.util.concurrent.TimeUnit;

/**
 * Leaves the stream of a call open after an answer that precedes the end of its message. Armeria resets it at once, and gRPC
 * clients then report the reset instead of the status.
 */
final class LateReset extends SimpleDecoratingHttpService {
    private static final ServiceOptions OPTIONS = ServiceOptions.builder()
            .closeHttp2StreamDelayMillis(TimeUnit.SECONDS.toMillis(10))
            .build();

    LateReset(HttpService service) {
        super(service);
    }

    @Override
    public HttpResponse serve(ServiceRequestContext ctx, HttpRequest request) throws Exception {
        return unwrap().serve(ctx, request);
    }

    @Override
    public ServiceOptions options() {
        return OPTIONS;
    }
}
