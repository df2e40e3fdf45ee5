package io.thalweg.testing;

import java.net.http.HttpClient;

/** Java's HTTP client without its upgrade to HTTP/2, which on a busy machine may fail, or wait for ever, where a server closes a connection. */
public final class HttpOne {
    private HttpOne() {}

    /** A client that speaks HTTP/1.1. */
    public static HttpClient client() {
        return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    }
}
