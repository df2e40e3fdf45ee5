package io.thalweg.testing;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** Java's HTTP client without its upgrade to HTTP/2, which on a busy machine may fail, or wait for ever, where a server closes a connection. */
public final class HttpOne {
    private HttpOne() {}

    /** A client that speaks HTTP/1.1. */
    public static HttpClient client() {
        return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    }

    /** The body of the response to a GET from a port of this machine; the status is ignored. */
    public static String get(int port, String path) throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + port + path);
        return client().send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
