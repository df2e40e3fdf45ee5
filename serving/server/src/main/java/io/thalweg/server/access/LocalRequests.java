package io.thalweg.server.access;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.MediaType;
import io.thalweg.server.http.RefusedRequestException;
import io.thalweg.server.http.RefusedRequestException.Code;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Defines which requests a port without authentication accepts: those of programs on this machine and of pages that the port
 * served itself. The port listens on loopback, but a page of another site can reach it through the user's browser, also under a
 * host name of its own that resolves to this machine (DNS rebinding).
 */
public final class LocalRequests {
    private static final Pattern THIS_MACHINE =
            Pattern.compile("((?i:localhost)\\.?|127(\\.\\d{1,3}){3}|\\[::1])(:\\d+)?");

    private static final Set<HttpMethod> CHANGES =
            Set.of(HttpMethod.POST, HttpMethod.PUT, HttpMethod.PATCH, HttpMethod.DELETE);

    private LocalRequests() {}

    /**
     * Requires that the request addresses one host: programs in front of this one may have looked at another of several.
     *
     * @throws RefusedRequestException INVALID_ARGUMENT
     */
    static void requireOneHost(HttpRequest request) {
        List<String> hosts = request.headers().getAll(HttpHeaderNames.HOST);
        String authority = request.headers().get(HttpHeaderNames.AUTHORITY);
        if (hosts.size() > 1 || (authority != null && !hosts.isEmpty() && !hosts.contains(authority))) {
            throw RefusedRequestException.invalid("host: must be there once");
        }
    }

    /**
     * Requires that the request addresses this machine.
     *
     * @throws RefusedRequestException PERMISSION_DENIED
     */
    static void requireHost(HttpRequest request) {
        String host = request.headers().authority();
        if (host == null || !THIS_MACHINE.matcher(host).matches()) {
            throw new RefusedRequestException(
                    Code.PERMISSION_DENIED, "host: must be localhost, 127.0.0.1 or [::1] on this port, was " + host);
        }
    }

    /**
     * Requires that the request does not come from a page of another origin.
     *
     * @param scheme of the port, {@code http} or {@code https}
     * @throws RefusedRequestException PERMISSION_DENIED
     */
    static void requireOrigin(HttpRequest request, String scheme) {
        String origin = request.headers().get(HttpHeaderNames.ORIGIN);
        if (origin != null && !origin.equals(scheme + "://" + request.headers().authority())) {
            throw new RefusedRequestException(
                    Code.PERMISSION_DENIED, "origin: pages of other sites are refused, was " + origin);
        }
    }

    /**
     * Requires a read, or a change that is JSON: browsers send some other content types to another origin without a preflight
     * request.
     *
     * @throws RefusedRequestException INVALID_ARGUMENT, UNIMPLEMENTED
     */
    public static void requireJson(HttpRequest request) {
        boolean reads = request.method() == HttpMethod.GET || request.method() == HttpMethod.HEAD;
        if (!reads && !CHANGES.contains(request.method())) {
            throw new RefusedRequestException(Code.UNIMPLEMENTED, request.method() + " is not possible on this port");
        }
        MediaType type = request.contentType();
        if (!reads && (type == null || !type.is(MediaType.JSON))) {
            throw RefusedRequestException.invalid("content-type: must be application/json");
        }
    }
}
