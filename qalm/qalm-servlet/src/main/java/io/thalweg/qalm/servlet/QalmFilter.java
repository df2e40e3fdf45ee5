package io.thalweg.qalm.servlet;

import io.thalweg.qalm.Lane;
import io.thalweg.qalm.Qalm;
import io.thalweg.qalm.wire.CallHeaders;
import io.thalweg.qalm.wire.Endpoints;
import io.thalweg.qalm.wire.PeerIdentity;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.cert.X509Certificate;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Protects the servlets behind it. Map it to {@code /*} as the first filter, with {@code asyncSupported} and the dispatcher types
 * {@code REQUEST} and {@code ASYNC}. A waiting request then releases its thread and is dispatched again later. A request that
 * does not support async waits on its thread.
 *
 * <p>Containers run filters on their pool, so the time that a request waits for a thread is not measured. Set {@code slots} lower
 * than the number of threads in the pool.
 */
public final class QalmFilter implements Filter {
    private static final String CALL = QalmFilter.class.getName();
    private static final String CERTIFICATES = "jakarta.servlet.request.X509Certificate";

    private final Qalm qalm;
    private final Function<HttpServletRequest, String> endpoint;

    /** Creates a filter that names endpoints by method and pattern of the servlet mapping, such as {@code GET /api/*}. */
    public QalmFilter(Qalm qalm) {
        this(qalm, request -> request.getMethod() + " " + pattern(request));
    }

    /** Creates a filter whose {@code endpoint} names the endpoint of a request, for frameworks that route behind one servlet. */
    public QalmFilter(Qalm qalm, Function<HttpServletRequest, String> endpoint) {
        this.qalm = qalm;
        this.endpoint = endpoint;
    }

    private static String pattern(HttpServletRequest request) {
        String pattern = request.getHttpServletMapping().getPattern();
        return pattern.isEmpty() ? "/" : pattern;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (request instanceof HttpServletRequest http && response instanceof HttpServletResponse answer) {
            filter(http, answer, chain);
        } else {
            chain.doFilter(request, response);
        }
    }

    private void filter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        ServletCall call = (ServletCall) request.getAttribute(CALL);
        if (call == null) {
            String name = endpoint.apply(request);
            if (Endpoints.unmanaged(name)) {
                chain.doFilter(request, response);
                return;
            }
            Lane lane = qalm.lane(name);
            call = newCall(request, lane);
            request.setAttribute(CALL, call);
            lane.submit(call);
            if (call.parked(request)) {
                return;
            }
        }
        call.proceed(request, response, chain);
    }

    private ServletCall newCall(HttpServletRequest request, Lane lane) {
        long now = qalm.nanoTime();
        CallHeaders read = CallHeaders.read(request::getHeader, Long.hashCode(now));
        return new ServletCall(read, proven(request), now, lane);
    }

    private static @Nullable String proven(HttpServletRequest request) {
        Object chain = request.getAttribute(CERTIFICATES);
        return chain instanceof X509Certificate[] certificates && certificates.length > 0
                ? PeerIdentity.of(certificates[0])
                : null;
    }
}
