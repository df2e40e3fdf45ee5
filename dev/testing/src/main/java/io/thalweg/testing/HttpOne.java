package io.thalweg.testing;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** Creates HTTP clients without the upgrade to HTTP/2, which may fail or hang on a busy machine if a server closes a connection. */
public final class HttpOne {
    private HttpOne() {}

    /** Creates a client that speaks HTTP/1.1. */
    public static HttpClient client() {
        return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    }

    /** Returns the body of the response to a GET from a local port; the status is ignored. */
    public static String get(int port, String path) throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + port + path);
        return client().send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
