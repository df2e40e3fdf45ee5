package io.thalweg.qalm.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.qalm.Criticality;
import io.thalweg.qalm.Outcome;
import io.thalweg.qalm.testing.Fixture;
import io.thalweg.qalm.wire.CallHeaders;
import io.thalweg.testing.Await;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.ee10.servlet.FilterHolder;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A real Jetty and the JDK's client, over the loopback interface. */
class QalmFilterTest {
    private static final int SLOTS = 2;
    private static final String GET = "GET /work/*";

    private final Fixture fixture = new Fixture(SLOTS);
    private final CountDownLatch blocked = new CountDownLatch(1);
    private final AtomicInteger executed = new AtomicInteger();
    private final HttpClient client = HttpClient.newHttpClient();
    private final Server server = new Server(new QueuedThreadPool(20));
    private int port;

    private void start(boolean async) throws Exception {
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        ServletContextHandler context = new ServletContextHandler();
        FilterHolder filter = new FilterHolder(new QalmFilter(fixture.qalm));
        filter.setAsyncSupported(async);
        context.addFilter(filter, "/*", EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC));
        ServletHolder servlet = new ServletHolder(new Work());
        servlet.setAsyncSupported(async);
        context.addServlet(servlet, "/work/*");
        server.setHandler(context);
        server.start();
        port = connector.getLocalPort();
    }

    @AfterEach
    void stop() throws Exception {
        blocked.countDown();
        server.stop();
    }

    private final class Work extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            executed.incrementAndGet();
            switch (request.getPathInfo()) {
                case "/throw" -> throw new IllegalStateException("bug");
                case "/full" -> response.setStatus(503);
                case "/wait" -> waitUntilReleased();
                case "/later" -> later(request);
                default -> {}
            }
            response.getWriter().write("done");
        }

        private void later(HttpServletRequest request) {
            AsyncContext async = request.startAsync();
            async.start(() -> {
                waitUntilReleased();
                async.complete();
            });
        }

        private void waitUntilReleased() {
            Await.zero("the release", blocked);
        }
    }

    private CompletableFuture<HttpResponse<String>> send(String caller, String kind, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/work/" + kind))
                .header(CallHeaders.CALLER, caller);
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.sendAsync(request.build(), BodyHandlers.ofString());
    }

    @Test
    void request_calmTimes_isServedAndGivesItsSlotBack() throws Exception {
        start(true);
        assertThat(send("core", "quick").join().body()).isEqualTo("done");
        assertThat(send("core", "full").join().statusCode()).isEqualTo(503);
        assertThat(send("core", "throw").join().statusCode()).isEqualTo(500);
        fixture.awaitIdle(GET);
        assertThat(fixture.qalm.lane(GET).snapshot().level(Criticality.CORE).outcomes())
                .containsEntry(Outcome.SUCCESS, 1L)
                .containsEntry(Outcome.DROPPED, 1L)
                .containsEntry(Outcome.IGNORED, 1L);
    }

    @Test
    void request_overload_isRefused() throws Exception {
        start(true);
        send("core", "makes-the-lane").join();
        fixture.overload();
        HttpResponse<String> refused = send("background", "quick").join();
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.headers().firstValue("Retry-After")).get().asString().matches("[123]");
        assertThat(refused.headers().firstValue("Content-Type"))
                .get()
                .asString()
                .startsWith("application/problem+json");
        assertThat(refused.body()).contains("call of level 3 refused (gate)");
        assertThat(refused.headers().firstValue(CallHeaders.THRESHOLD)).hasValue("256");
        assertThat(refused.headers().firstValue(CallHeaders.DECISION)).hasValue("lane=" + GET + ";level=3;reason=gate");
        HttpResponse<String> served = send("core", "quick").join();
        assertThat(served.body()).isEqualTo("done");
        assertThat(served.headers().firstValue(CallHeaders.DECISION))
                .hasValue("lane=" + GET + ";level=1;reason=served");
        assertThat(executed).hasValue(2);
    }

    @ParameterizedTest(name = "async={0}")
    @ValueSource(booleans = {true, false})
    void request_noSlotFree_waitsAndIsServed(boolean async) throws Exception {
        start(async);
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        int requests = async ? 100 : 10; // without asynchronous requests each holds one of Jetty's twenty threads
        for (int i = 0; i < requests; i++) {
            answers.add(send("core", "wait"));
        }
        fixture.await(GET, lane -> lane.inflight() == SLOTS && lane.waiting() == requests - SLOTS);
        assertThat(executed).hasValue(SLOTS);
        blocked.countDown();
        for (CompletableFuture<HttpResponse<String>> answer : answers) {
            assertThat(Await.get(answer).body()).isEqualTo("done");
        }
        fixture.awaitIdle(GET);
        assertThat(executed).hasValue(requests);
    }

    @Test
    void request_servedAsynchronously_holdsItsSlotUntilItIsComplete() throws Exception {
        start(true);
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            answers.add(send("core", "later"));
        }
        fixture.await(GET, lane -> lane.inflight() == SLOTS && lane.waiting() == 6 - SLOTS);
        blocked.countDown();
        for (CompletableFuture<HttpResponse<String>> answer : answers) {
            assertThat(Await.get(answer).statusCode()).isEqualTo(200);
        }
        fixture.awaitIdle(GET);
        assertThat(executed).hasValue(6);
    }

    @Test
    void request_deadlineInHeaders_expiresUnseen() throws Exception {
        start(true);
        List<CompletableFuture<?>> running = List.of(send("core", "wait"), send("core", "wait"));
        fixture.await(GET, lane -> lane.inflight() == SLOTS);
        CompletableFuture<HttpResponse<String>> late = send("core", "quick", CallHeaders.TIMEOUT_MS, "30");
        fixture.await(GET, lane -> late.isDone());
        assertThat(late.join().statusCode()).isEqualTo(504);
        assertThat(executed).hasValue(SLOTS);
        assertThat(running).noneMatch(CompletableFuture::isDone);
    }
}
