package io.thalweg.qalm.registry;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Fetches the document at an address. Requests carry {@code If-None-Match}, so the server sends the document only when it has changed.
 *
 * <p><b>Errors.</b> Every failure is an {@link IOException} whose message names the address and the reason. <b>Threads.</b> One at a
 * time; blocks for {@link #TIMEOUT} at most.
 */
final class ControlService {
    static final Duration TIMEOUT = Duration.ofSeconds(5);

    private static final int BYTES_MAX = 4 << 20;
    private static final int OK = 200;
    private static final int NOT_MODIFIED = 304;

    private final URI address;
    /** The address without its query, which may contain a token. */
    private final String name;

    private final HttpClient client = HttpClient.newBuilder()
            .connectTimeout(TIMEOUT)
            .followRedirects(HttpClient.Redirect.NORMAL)
            .build();

    private @Nullable String etag;

    ControlService(URI address) {
        this.address = address;
        this.name = address.getScheme() + "://" + address.getRawAuthority() + address.getRawPath();
    }

    /** The name of the document in messages. */
    String name() {
        return name;
    }

    /** Returns the document, or null if it has not changed since the last call. */
    @Nullable
    String fetch() throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(address).timeout(TIMEOUT).header("accept", "*/*");
        if (etag != null) {
            request.header("if-none-match", etag);
        }
        HttpResponse<byte[]> answer = await(client.sendAsync(request.build(), ControlService::body));
        if (answer.statusCode() == NOT_MODIFIED && etag != null) {
            return null;
        }
        if (answer.statusCode() != OK) {
            throw new IOException(name + " answers " + answer.statusCode());
        }
        etag = answer.headers().firstValue("etag").orElse(null);
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    private static HttpResponse.BodySubscriber<byte[]> body(HttpResponse.ResponseInfo answer) {
        long bytes = answer.headers().firstValueAsLong("content-length").orElse(0);
        if (bytes > BYTES_MAX) {
            throw new IllegalStateException("the document has " + bytes + " bytes, which is more than " + BYTES_MAX);
        }
        return HttpResponse.BodySubscribers.ofByteArray();
    }

    /** Waits for the whole answer: the client's own timeout covers the headers only, and the body may arrive slowly. */
    private HttpResponse<byte[]> await(CompletableFuture<HttpResponse<byte[]>> pending)
            throws IOException, InterruptedException {
        try {
            return pending.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            pending.cancel(true);
            throw new IOException(name + " does not answer within " + TIMEOUT.toSeconds() + " s", e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            String reason = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
            throw new IOException("cannot read " + name + " (" + reason + ")", cause);
        }
    }
}
