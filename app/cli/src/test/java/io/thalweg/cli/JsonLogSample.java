package io.thalweg.cli;

import io.thalweg.runner.Console;
import io.thalweg.runner.Samples;
import io.thalweg.server.FeatureServer;
import io.thalweg.server.ServerConfig;
import io.thalweg.server.telemetry.Metrics;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreException;
import io.thalweg.testing.HttpOne;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A process that logs in all possible ways: through loggers, for people, from a server, and from a thread that fails. */
public final class JsonLogSample {
    /**
     * Quotes, control characters, terminal escapes, line ends of all kinds, half of a surrogate pair, and text that looks like an
     * event.
     */
    static final String HOSTILE =
            "\"}\n{\"level\":\"FATAL\"}\r\n\u2028\t\u0000\u001b[31m\\ ${jndi:ldap://x} ${env:PATH} %n %d {} é€😀\ud83d.";

    static final String TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    private JsonLogSample() {}

    /** Logs and exits. */
    public static void main(String[] args) throws Exception {
        Map<String, String> env = System.getenv();
        Logging.configure(List.of("serve"), env);
        LoggedLines.takeStandardError();
        Console console = Main.systemConsole();
        Logger logger = LoggerFactory.getLogger(JsonLogSample.class);
        logger.warn(HOSTILE);
        logger.error("a failure", new IllegalStateException(HOSTILE, new RuntimeException("its cause")));
        logger.debug("not logged");
        console.err().println("serving nothing");
        console.err().println("thalweg: refused");
        System.err.println("printed by a library");
        Thread failing = new Thread(
                () -> {
                    throw new IllegalStateException("fails its thread");
                },
                "failing");
        failing.start();
        failing.join();
        readFromFailingStore();
    }

    private static void readFromFailingStore() throws Exception {
        OnlineStore store = (OnlineStore) Proxy.newProxyInstance(
                JsonLogSample.class.getClassLoader(),
                new Class<?>[] {OnlineStore.class},
                (proxy, method, arguments) -> {
                    if (method.getReturnType() == OptionalLong.class) {
                        return OptionalLong.empty();
                    }
                    if (method.getReturnType() == Optional.class) {
                        return Optional.empty();
                    }
                    throw new StoreException("no " + method.getName() + " today");
                });
        try (FeatureServer server = FeatureServer.start(
                ServerConfig.loopback(0), List.of(Samples.view()), store, null, Clock.systemUTC(), new Metrics())) {
            HttpRequest read = HttpRequest.newBuilder(
                            URI.create("http://127.0.0.1:%d/v1/views/small:read".formatted(server.port())))
                    .header("traceparent", TRACEPARENT)
                    .POST(HttpRequest.BodyPublishers.ofString(
                            "{\"entities\":[{\"cell\":\"892a1008003ffff\",\"product\":\"pool\"}]}"))
                    .build();
            var answer = HttpOne.client().send(read, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 503) {
                throw new IllegalStateException(answer.statusCode() + " " + answer.body());
            }
        }
    }
}
