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
 * Protects the servlets behind it. To be mapped to {@code /*}, first of all filters, with {@code asyncSupported} and for the
 * dispatcher types {@code REQUEST} and {@code ASYNC}: a request that waits gives its thread back and is dispatched again. Where
 * asynchronous requests are not supported, it waits on its thread.
 *
 * <p>Containers run filters on their pool, so the time that a request waited for a thread is not seen: give {@code slots} fewer
 * than the pool has threads.
 */
public final class QalmFilter implements Filter {
    private static final String PLACE = QalmFilter.class.getName();
    private static final String CERTIFICATES = "jakarta.servlet.request.X509Certificate";

    private final Qalm qalm;
    private final Function<HttpServletRequest, String> endpoint;

    /** Endpoints are the method and the pattern by which the servlet is mapped, as {@code GET /api/*}. */
    public QalmFilter(Qalm qalm) {
        this(qalm, request -> request.getMethod() + " " + pattern(request));
    }

    /** {@code endpoint} names the endpoint of a request, for frameworks with routes of their own behind one servlet. */
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
        ServletCall place = (ServletCall) request.getAttribute(PLACE);
        if (place == null) {
            String name = endpoint.apply(request);
            if (Endpoints.unmanaged(name)) {
                chain.doFilter(request, response);
                return;
            }
            Lane lane = qalm.lane(name);
            place = newPlace(request, lane);
            request.setAttribute(PLACE, place);
            lane.submit(place);
            if (place.parked(request)) {
                return;
            }
        }
        place.proceed(request, response, chain);
    }

    private ServletCall newPlace(HttpServletRequest request, Lane lane) {
        long now = qalm.nanoTime();
        CallHeaders said = CallHeaders.read(request::getHeader, Long.hashCode(now));
        return new ServletCall(said, proven(request), now, lane);
    }

    private static @Nullable String proven(HttpServletRequest request) {
        Object chain = request.getAttribute(CERTIFICATES);
        return chain instanceof X509Certificate[] certificates && certificates.length > 0
                ? PeerIdentity.of(certificates[0])
                : null;
    }
}
