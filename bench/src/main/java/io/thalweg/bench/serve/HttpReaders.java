package io.thalweg.bench.serve;

import io.thalweg.bench.publish.DemandRows;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** By HTTP/JSON, with the JDK's client. */
final class HttpReaders implements Readers {
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final List<HttpRequest> requests;

    private HttpReaders(URI uri, List<long[]> cells, Function<long[], String> body) {
        requests = cells.stream()
                .map(each -> HttpRequest.newBuilder(uri)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body.apply(each)))
                        .build())
                .toList();
    }

    /** Of a view's own path. */
    static HttpReaders ofView(int port, List<long[]> cells) {
        return new HttpReaders(
                uri(port, "/v1/views/" + DemandRows.VIEW.qualifiedName() + ":read"),
                cells,
                each -> LongStream.of(each)
                        .mapToObj(cell -> "{\"cell\":\"" + Long.toHexString(cell) + "\"}")
                        .collect(Collectors.joining(",", "{\"entities\":[", "]}")));
    }

    /** As Feast's feature server is asked, for all features. */
    static HttpReaders asFeast(int port, List<long[]> cells) {
        String features = DemandRows.VIEW.featureNames().stream()
                .map(name -> "\"" + DemandRows.VIEW.qualifiedName() + ":" + name + "\"")
                .collect(Collectors.joining(",", "{\"features\":[", "],\"entities\":{\"cell\":"));
        return new HttpReaders(
                uri(port, "/get-online-features"),
                cells,
                each -> LongStream.of(each)
                        .mapToObj(Long::toString)
                        .collect(Collectors.joining(",", features + "[", "]}}")));
    }

    private static URI uri(int port, String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    @Override
    public int requests() {
        return requests.size();
    }

    @Override
    public CompletableFuture<Integer> read(int request) {
        return answer(request).thenApply(body -> body.length);
    }

    /** The answer itself. */
    CompletableFuture<byte[]> answer(int request) {
        return client.sendAsync(requests.get(request), HttpResponse.BodyHandlers.ofByteArray())
                .thenApply(answer -> {
                    if (answer.statusCode() != 200) {
                        throw new IllegalStateException("the server answered " + answer.statusCode());
                    }
                    return answer.body();
                });
    }

    @Override
    public void close() {
        // Its connections end with the process.
    }
}
