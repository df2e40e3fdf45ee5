package io.thalweg.bench.serve;

import com.linecorp.armeria.client.ClientFactory;
import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.util.EventLoopGroups;
import io.thalweg.bench.load.Readers;
import io.thalweg.bench.publish.DemandRows;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * Reads the view by HTTP/1.1 and JSON. The client handles answers on the thread that reads the socket: an additional thread would cost the
 * server, which shares its cores, more than the caller.
 */
final class HttpReaders implements Readers {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final ClientFactory connections = ClientFactory.builder()
            .workerGroup(EventLoopGroups.newEventLoopGroup(1, "http-readers", true), true)
            .build();
    private final WebClient client;
    private final RequestHeaders headers;
    private final List<HttpData> bodies;

    HttpReaders(int port, List<long[]> cells) {
        client = WebClient.builder("h1c://127.0.0.1:" + port)
                .factory(connections)
                .responseTimeout(PATIENCE)
                .maxResponseLength(0)
                .build();
        String path = "/v1/views/" + DemandRows.VIEW.qualifiedName() + ":read";
        headers = RequestHeaders.of(HttpMethod.POST, path, HttpHeaderNames.CONTENT_TYPE, MediaType.JSON);
        bodies = cells.stream().map(each -> HttpData.ofUtf8(body(each))).toList();
    }

    private static String body(long[] cells) {
        return LongStream.of(cells)
                .mapToObj(cell -> "{\"cell\":\"" + Long.toHexString(cell) + "\"}")
                .collect(Collectors.joining(",", "{\"entities\":[", "]}"));
    }

    @Override
    public int requests() {
        return bodies.size();
    }

    /** Returns the body. */
    @Override
    public CompletableFuture<byte[]> read(int request) {
        return client.execute(headers, bodies.get(request)).aggregate().thenApply(answer -> {
            if (!answer.status().equals(HttpStatus.OK)) {
                throw new IllegalStateException("the server answered " + answer.status());
            }
            return answer.content().array();
        });
    }

    @Override
    public void close() {
        connections.close();
    }
}
