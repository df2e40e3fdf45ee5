package io.thalweg.server.access;

import static io.thalweg.server.ServerFixture.PRODUCT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.linecorp.armeria.client.grpc.GrpcClients;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.RequestHeaders;
import io.grpc.StatusRuntimeException;
import io.thalweg.api.v1.ListViewsRequest;
import io.thalweg.api.v1.ServingServiceGrpc.ServingServiceBlockingStub;
import io.thalweg.server.ServerFixture;
import io.thalweg.server.http.RefusedRequestException;
import io.thalweg.testing.Await;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that a page in a browser and a program on this machine can send to the feature port. */
class LocalRequestsTest {
    private static final String BODY =
            "{\"entities\":[{\"cell\":\"892a1008003ffff\",\"product\":\"" + PRODUCT + "\"}]}";
    private static final String FORM = "content-type: application/x-www-form-urlencoded";

    private static final Pattern LENGTH = Pattern.compile("(?i)content-length: (\\d+)");

    @TempDir
    Path folder;

    private static HttpRequest request(String authority) {
        return HttpRequest.of(RequestHeaders.of(HttpMethod.GET, "/", HttpHeaderNames.AUTHORITY, authority));
    }

    private static HttpRequest change(String contentType) {
        return HttpRequest.of(RequestHeaders.of(HttpMethod.POST, "/", HttpHeaderNames.CONTENT_TYPE, contentType));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "LOCALHOST:8080",
                "localhost.",
                "localhost.:8080",
                "127.0.0.1:8080",
                "127.8.8.8",
                "[::1]:8080",
                "[::1]"
            })
    void requireHost_nameOfThisMachine_isAccepted(String host) {
        LocalRequests.requireHost(request(host));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "thalweg.example",
                "localhost.thalweg.example",
                "localhost..",
                "127.0.0.1.thalweg.example",
                "user@localhost",
                "localhost:8080x",
                "0.0.0.0:8080",
                "[::]:8080",
            })
    void requireHost_anotherName_isRefused(String host) {
        assertThatThrownBy(() -> LocalRequests.requireHost(request(host)))
                .isInstanceOf(RefusedRequestException.class)
                .hasMessageStartingWith("host: must be localhost, 127.0.0.1 or [::1] on this port, was ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/json", "application/json; charset=utf-8", "Application/JSON"})
    void requireJson_json_isAccepted(String contentType) {
        LocalRequests.requireJson(change(contentType));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "application/jsonp",
                "application/json+x",
                "application/json5",
                "xapplication/json",
                "text/plain;application/json",
                "text/plain",
                "application/x-www-form-urlencoded",
                "application/*",
                "nonsense",
            })
    void requireJson_anotherType_isRefused(String contentType) {
        assertThatThrownBy(() -> LocalRequests.requireJson(change(contentType)))
                .isInstanceOf(RefusedRequestException.class)
                .hasMessage("content-type: must be application/json");
    }

    @Test
    void read_fromAProgram_isAnsweredWhateverItsContentType() throws IOException {
        try (ServerFixture fixture = new ServerFixture(folder).filled()) {
            String host = "host: 127.0.0.1:" + fixture.server.port();
            for (String type : List.of(FORM, "content-type: text/plain", "content-type: application/json", "x: y")) {
                assertThat(read(fixture, host, type)).as(type).startsWith("HTTP/1.1 200");
            }
            assertThat(read(fixture, host, FORM, "origin: http://127.0.0.1:" + fixture.server.port()))
                    .as("a page that this port served")
                    .startsWith("HTTP/1.1 200");
        }
    }

    @Test
    void read_fromAPageOfAnotherSite_isRefused() throws IOException {
        try (ServerFixture fixture = new ServerFixture(folder).filled()) {
            String host = "host: 127.0.0.1:" + fixture.server.port();
            for (String origin : List.of("http://thalweg.example", "null", "http://127.0.0.1:1", "https://localhost")) {
                assertThat(read(fixture, host, FORM, "origin: " + origin))
                        .as(origin)
                        .startsWith("HTTP/1.1 403")
                        .contains("origin: pages of other sites are refused, was " + origin)
                        .doesNotContainIgnoringCase("access-control-allow-origin");
            }
            assertThat(read(fixture, "host: thalweg.example:" + fixture.server.port(), FORM))
                    .startsWith("HTTP/1.1 403")
                    .contains("\"status\":\"PERMISSION_DENIED\"");
        }
    }

    @Test
    void read_twoHosts_isRefused() throws IOException {
        try (ServerFixture fixture = new ServerFixture(folder).filled()) {
            for (String second : List.of("host: localhost", "Host: 127.0.0.1", "host: thalweg.example")) {
                assertThat(read(fixture, "host: localhost", second, FORM))
                        .as(second)
                        .startsWith("HTTP/1.1 400")
                        .contains("host: must be there once");
            }
        }
    }

    /** The server closes the connection, which the client of {@link #answer} does not wait for. */
    @Test
    void read_connectionClose_isClosedWithTheAnswer() {
        try (ServerFixture fixture = new ServerFixture(folder).filled()) {
            Await.until("a connection that ends with its answer", () -> {
                long begin = System.nanoTime();
                try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), fixture.server.port())) {
                    String two = "GET /v1/views HTTP/1.1\r\nhost: localhost\r\n\r\n"
                            + "GET /livez HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
                    socket.getOutputStream().write(two.getBytes(StandardCharsets.US_ASCII));
                    assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                            .contains("\"name\":\"demand\"", "{\"status\":\"OK\"}\n");
                }
                return System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(2);
            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-16LE", "UTF-16", "UTF-32", "ISO-8859-1"})
    void read_bodyIsNotUtf8_isRefused(String charset) throws Exception {
        try (ServerFixture fixture = new ServerFixture(folder).filled()) {
            byte[] body = BODY.replace(PRODUCT, "é").getBytes(Charset.forName(charset));
            HttpResponse<String> answer = fixture.http.send(
                    java.net.http.HttpRequest.newBuilder(fixture.uri("/v1/views/demand:read"))
                            .POST(BodyPublishers.ofByteArray(body))
                            .build(),
                    BodyHandlers.ofString());
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(answer.body()).contains("the body is not ");
        }
    }

    /** The routes of Feast, of metrics and of health are behind the same check. */
    @ParameterizedTest
    @ValueSource(strings = {"/", "/v1/views", "/metrics", "/livez", "/readyz", "/get-online-features", "/none"})
    void request_anyPathUnderAForeignHost_isRefused(String path) throws IOException {
        try (ServerFixture fixture = new ServerFixture(folder).filled()) {
            String method = path.equals("/get-online-features") ? "POST " : "GET ";
            assertThat(answer(fixture, method + path, "{}", "host: thalweg.example"))
                    .startsWith("HTTP/1.1 403");
        }
    }

    @Test
    void grpcCall_underAForeignAuthorityOrFromAPage_isRefused() {
        try (ServerFixture fixture = new ServerFixture(folder).filled()) {
            assertThat(grpc(fixture, "x", "y")
                            .listViews(ListViewsRequest.getDefaultInstance())
                            .getViewsList())
                    .hasSize(2);
            assertGrpcRefused(grpc(fixture, ":authority", "thalweg.example"), "host: must be localhost");
            assertGrpcRefused(grpc(fixture, "origin", "http://thalweg.example"), "origin: pages of other sites");
        }
    }

    private static ServingServiceBlockingStub grpc(ServerFixture fixture, String header, String value) {
        return GrpcClients.builder("gproto+http://127.0.0.1:" + fixture.server.port())
                .setHeader(header, value)
                .build(ServingServiceBlockingStub.class);
    }

    private static void assertGrpcRefused(ServingServiceBlockingStub serving, String reason) {
        assertThatThrownBy(() -> serving.listViews(ListViewsRequest.getDefaultInstance()))
                .isInstanceOfSatisfying(StatusRuntimeException.class, e -> {
                    assertThat(e.getStatus().getCode()).isEqualTo(io.grpc.Status.Code.PERMISSION_DENIED);
                    assertThat(e.getStatus().getDescription()).startsWith(reason);
                });
    }

    private static String read(ServerFixture fixture, String... headers) throws IOException {
        return answer(fixture, "POST /v1/views/demand:read", BODY, headers);
    }

    private static String answer(ServerFixture fixture, String request, String body, String... headers)
            throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), fixture.server.port())) {
            String text = request + " HTTP/1.1\r\n" + String.join("\r\n", headers) + "\r\ncontent-length: "
                    + body.length() + "\r\nconnection: close\r\n\r\n" + body;
            socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
            return answer(socket.getInputStream());
        }
    }

    /** Returns head and body without waiting for the server to close the connection. */
    private static String answer(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            assertThat(next).as("the answer ends with %s", head).isNotNegative();
            head.append((char) next);
        }
        Matcher length = LENGTH.matcher(head);
        assertThat(length.find()).as(head.toString()).isTrue();
        return head + new String(in.readNBytes(Integer.parseInt(length.group(1))), StandardCharsets.UTF_8);
    }
}
