package io.thalweg.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.linecorp.armeria.client.grpc.GrpcClients;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.thalweg.api.feast.FeatureList;
import io.thalweg.api.feast.GetOnlineFeaturesRequest;
import io.thalweg.api.v1.EntityKey;
import io.thalweg.api.v1.EntityValue;
import io.thalweg.api.v1.ReadFeaturesRequest;
import io.thalweg.api.v1.ServingServiceGrpc;
import io.thalweg.qalm.wire.CallHeaders;
import io.thalweg.testing.Await;
import io.thalweg.testing.HttpOne;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server with a small heap under the most expensive requests possible, over all of its protocols, while an ordinary client
 * keeps reading.
 */
@Tag("faults")
@Timeout(Await.TIMEOUT_SECONDS)
class AttackIT {
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final int ATTACKERS = 8;
    private static final int ATTACKS_LEAST = 200;
    private static final int READS = 1_000;
    /** Processor time, which a busy machine does not change. An attack without a limit takes tens of seconds. */
    private static final long ATTACK_CPU_MS_MOST = 500;

    private static final int ERROR_BYTES = 16 << 10;
    private static final int UNKNOWN_NAMES = 420_000;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    /** The server's process: prints its port, then serves until it is killed. */
    public static final class Server {
        private Server() {}

        /** Starts it in the folder that is the only argument. */
        public static void main(String[] args) throws InterruptedException {
            ServerConfig patient = ServerConfig.loopback(0).withRequestTimeout(Await.PATIENCE);
            try (ServerFixture fixture = new ServerFixture(
                            Path.of(args[0]), List.of(ServerFixture.DEMAND, ServerFixture.SUPPLY), null, patient)
                    .filled()) {
                System.out.println("port " + fixture.server.port());
                Thread.sleep(Duration.ofHours(1).toMillis());
            }
        }
    }

    private Subprocess start() {
        return Subprocess.start(
                folder,
                Map.of(),
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx512m",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Server.class.getName(),
                        folder.resolve("store").toString()));
    }

    private final HttpClient http = HttpOne.client();

    private HttpResponse<String> post(String caller, int port, String path, byte[] body) {
        try {
            return http.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                            .timeout(PATIENCE)
                            .header(CallHeaders.CALLER, caller)
                            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String names(int count) {
        return IntStream.range(0, count).mapToObj(i -> "\"f" + i + "\"").collect(Collectors.joining(","));
    }

    private static String repeated(String name, int count) {
        return String.join(",", Collections.nCopies(count, "\"" + name + "\""));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
    }

    /** An attack; returns the answer. */
    private interface Attack {
        String send(int port);
    }

    private Attack http(String path, String body) {
        byte[] bytes = bytes(body);
        return port -> {
            HttpResponse<String> answer = post("attacker", port, path, bytes);
            assertThat(answer.statusCode()).as(answer.body()).isIn(400, 413, 503, 504);
            requireShed(answer);
            return answer.body();
        };
    }

    /** Requires that load management refused a call, if it was refused, and not that the store or the server has failed. */
    private static void requireShed(HttpResponse<String> answer) {
        if (answer.statusCode() == 503) {
            assertThat(answer.body()).contains("RESOURCE_EXHAUSTED");
        }
    }

    private static Attack grpc(ReadFeaturesRequest request) {
        return port -> refused(() -> GrpcClients.newClient(
                        "gproto+http://127.0.0.1:" + port, ServingServiceGrpc.ServingServiceBlockingStub.class)
                .readFeatures(request));
    }

    private static Attack feastGrpc(GetOnlineFeaturesRequest request) {
        return port -> refused(() -> GrpcClients.newClient(
                        "gproto+http://127.0.0.1:" + port,
                        io.thalweg.api.feast.ServingServiceGrpc.ServingServiceBlockingStub.class)
                .getOnlineFeatures(request));
    }

    private static String refused(Runnable call) {
        try {
            call.run();
            throw new AssertionError("the request was answered");
        } catch (StatusRuntimeException e) {
            assertThat(e.getStatus().getCode())
                    .as(e.toString())
                    .isIn(
                            Status.Code.INVALID_ARGUMENT,
                            Status.Code.RESOURCE_EXHAUSTED,
                            Status.Code.UNAVAILABLE,
                            Status.Code.DEADLINE_EXCEEDED);
            return String.valueOf(e.getStatus().getDescription());
        }
    }

    private List<Attack> attacks() {
        String read = "/v1/views/demand:read";
        String key = "{\"cell\":\"892a1008003ffff\",\"product\":\"" + ServerFixture.PRODUCT + "\"}";
        String keys = "\"entities\":[" + key + "]";
        String long60 = "x".repeat(1_000);
        List<Attack> attacks = new ArrayList<>();
        attacks.add(http(read, "{" + keys + ",\"features\":[" + names(UNKNOWN_NAMES) + "]}"));
        attacks.add(http(read, "{" + keys + ",\"features\":[" + names(60_000) + "]}"));
        attacks.add(http(read, "{" + keys + ",\"features\":[" + names(40_000) + "]}"));
        attacks.add(http(read, "{" + keys + ",\"features\":[" + repeated("k0_1m", 40_000) + "]}"));
        attacks.add(http(read, "{" + keys + ",\"features\":[" + repeated(long60, 900) + "]}"));
        attacks.add(http(read, "{\"entities\":[" + "{\"a\":1},".repeat(10_000) + key + "]}"));
        attacks.add(http(read, "{\"entities\":[{" + "\"" + long60 + "\":1},{".repeat(900) + "\"cell\":1}]}"));
        attacks.add(http(read, "{\"entities\":" + "[".repeat(100_000)));
        attacks.add(http(read, "{" + keys + ",\"as_of\":" + "9".repeat(900_000) + "}"));
        attacks.add(http(
                "/get-online-features", "{\"entities\":{\"cell\":[1]},\"features\":[" + names(UNKNOWN_NAMES) + "]}"));
        attacks.add(http("/get-online-features", "{\"entities\":{\"cell\":[1]},\"features\":[" + names(40_000) + "]}"));
        attacks.add(http(
                "/get-online-features",
                "{\"entities\":{\"cell\":[1]},\"features\":[" + repeated("demand:k0_1m", 40_000) + "]}"));
        EntityKey entity = EntityKey.newBuilder()
                .putValues(
                        "cell",
                        EntityValue.newBuilder()
                                .setStringValue("892a1008003ffff")
                                .build())
                .build();
        attacks.add(grpc(grpcRead(entity, UNKNOWN_NAMES)));
        attacks.add(grpc(grpcRead(entity, 100_000)));
        attacks.add(feastGrpc(feastRead(UNKNOWN_NAMES)));
        attacks.add(feastGrpc(feastRead(100_000)));
        return attacks;
    }

    private static ReadFeaturesRequest grpcRead(EntityKey entity, int names) {
        return ReadFeaturesRequest.newBuilder()
                .setView("demand")
                .addEntities(entity)
                .addAllFeatures(IntStream.range(0, names).mapToObj(i -> "f" + i).toList())
                .build();
    }

    private static GetOnlineFeaturesRequest feastRead(int names) {
        return GetOnlineFeaturesRequest.newBuilder()
                .setFeatures(FeatureList.newBuilder()
                        .addAllVal(IntStream.range(0, names)
                                .mapToObj(i -> "demand:f" + i)
                                .toList()))
                .build();
    }

    @Test
    void read_whileTheWorstRequestsArrive_isAnswered() throws Exception {
        List<Attack> attacks = attacks();
        Queue<String> answers = new ConcurrentLinkedQueue<>();
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger next = new AtomicInteger();
        ExecutorService attackers = Executors.newFixedThreadPool(ATTACKERS);
        try (Subprocess server = start()) {
            int port = Integer.parseInt(server.awaitLine("^port ", PATIENCE).substring("port ".length()));
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < ATTACKERS; i++) {
                running.add(attackers.submit(() -> {
                    while (!over.get()) {
                        answers.add(attacks.get(next.getAndIncrement() % attacks.size())
                                .send(port));
                    }
                }));
            }
            Duration cpuBefore = cpu(server);
            int attacksBefore = answers.size();
            int answered = 0;
            int shed = 0;
            while (answered < READS || answers.size() < ATTACKS_LEAST) {
                if (read(port)) {
                    answered++;
                } else {
                    shed++;
                }
            }
            over.set(true);
            for (Future<?> each : running) {
                each.get();
            }
            assertThat(server.isAlive()).as(server.stderr().toString()).isTrue();
            assertThat(answers).hasSizeGreaterThanOrEqualTo(ATTACKS_LEAST);
            assertThat(answers).allMatch(answer -> bytes(answer).length <= ERROR_BYTES);
            long cpuMs = cpu(server).minus(cpuBefore).toMillis() / (answers.size() - attacksBefore);
            System.out.printf(
                    "%d reads answered and %d shed beside %d attacks: %d ms of processor time per attack%n",
                    answered, shed, answers.size(), cpuMs);
            assertThat(cpuMs).as("ms of processor time per attack").isLessThan(ATTACK_CPU_MS_MOST);
        } finally {
            attackers.shutdownNow();
        }
    }

    private static Duration cpu(Subprocess process) {
        return ProcessHandle.of(process.pid())
                .flatMap(running -> running.info().totalCpuDuration())
                .orElseThrow();
    }

    /** Returns whether a read is answered. Load management may shed it, because attacks keep the server busy; then it is repeated. */
    private boolean read(int port) {
        HttpResponse<String> answer = post(
                "reader",
                port,
                "/v1/views/demand:read",
                bytes("{\"entities\":[{\"cell\":\"892a1008003ffff\",\"product\":\"" + ServerFixture.PRODUCT
                        + "\"}],\"features\":[\"k0_1m\"]}"));
        assertThat(answer.statusCode()).as(answer.body()).isIn(200, 503);
        requireShed(answer);
        return answer.statusCode() == 200;
    }
}
