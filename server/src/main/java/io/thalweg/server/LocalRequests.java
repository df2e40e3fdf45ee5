package io.thalweg.server;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.MediaType;
import io.thalweg.server.Refusal.Code;
import java.util.regex.Pattern;

/**
 * Which requests a port without authentication takes: those of programs on this machine and of pages it served itself. The port
 * listens on loopback, but a page of another site reaches it through the user's browser, also under a name of its own that it lets
 * resolve to this machine (DNS rebinding).
 */
final class LocalRequests {
    private static final Pattern THIS_MACHINE = Pattern.compile("(localhost|127(\\.\\d{1,3}){3}|\\[::1])(:\\d+)?");

    private LocalRequests() {}

    /**
     * Requires that the request addresses this machine.
     *
     * @throws Refusal PERMISSION_DENIED
     */
    static void requireHost(HttpRequest request) {
        String host = request.headers().authority();
        if (host == null || !THIS_MACHINE.matcher(host).matches()) {
            throw new Refusal(
                    Code.PERMISSION_DENIED, "host: must be localhost, 127.0.0.1 or [::1] on this port, was " + host);
        }
    }

    /**
     * Requires that the request comes from no page of another origin.
     *
     * @param scheme of the port, {@code http} or {@code https}
     * @throws Refusal PERMISSION_DENIED
     */
    static void requireOrigin(HttpRequest request, String scheme) {
        String origin = request.headers().get(HttpHeaderNames.ORIGIN);
        if (origin != null && !origin.equals(scheme + "://" + request.headers().authority())) {
            throw new Refusal(Code.PERMISSION_DENIED, "origin: pages of other sites are refused, was " + origin);
        }
    }

    /**
     * Requires that a change is JSON: a browser sends other content types to another origin without asking first.
     *
     * @throws Refusal INVALID_ARGUMENT
     */
    static void requireJson(HttpRequest request) {
        boolean reads = request.method() == HttpMethod.GET || request.method() == HttpMethod.HEAD;
        MediaType type = request.contentType();
        if (!reads && (type == null || !type.is(MediaType.JSON))) {
            throw Refusal.invalid("content-type: must be application/json");
        }
    }
}
