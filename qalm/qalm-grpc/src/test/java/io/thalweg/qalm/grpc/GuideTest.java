package io.thalweg.qalm.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.CallOptions;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.thalweg.qalm.Observer;
import io.thalweg.qalm.QalmConfig;
import io.thalweg.qalm.live.LiveQalm;
import io.thalweg.qalm.wire.CallHeaders;
import io.thalweg.qalm.yaml.RulesYaml;
import io.thalweg.testing.Await;
import io.thalweg.testing.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the code of {@code docs/guides/protect-a-grpc-service.md}: its Java is between the marks below, its rules are read from it. */
class GuideTest {
    private static final Path GUIDE = Checkout.file("docs/guides/protect-a-grpc-service.md");
    private static final Path SOURCE = Path.of("src/test/java/io/thalweg/qalm/grpc/GuideTest.java");
    private static final MethodDescriptor<String, String> GET = Bytes.method("shop.Cart/Get", MethodType.UNARY);
    private static final int WORKERS = 8;

    @TempDir
    Path folder;

    private final CountDownLatch blocked = new CountDownLatch(1);

    /** A service as the guide protects it. */
    private static final class Protected {
        final LiveQalm live;
        final ExecutorService workers;
        final Server server;

        Protected(int port, ServerServiceDefinition service, Path rules, Path state) throws IOException {
            // guide:
            int cores = Runtime.getRuntime().availableProcessors();
            live = LiveQalm.start(new QalmConfig(WORKERS, cores), RulesYaml.file(rules, state), Observer.NONE);
            workers = Executors.newFixedThreadPool(WORKERS);
            ServerBuilder<?> builder = Grpc.newServerBuilderForPort(port, InsecureServerCredentials.create())
                    .addService(service);
            GrpcQalm.protect(builder, live.qalm(), workers); // the line
            server = builder.build().start();
            // :guide
        }

        void stop() throws InterruptedException {
            // guide:
            server.shutdown().awaitTermination(10, TimeUnit.SECONDS);
            live.close();
            workers.shutdown();
            // :guide
        }
    }

    private static ManagedChannel connect(int port, String caller) {
        ManagedChannel channel;
        // guide:
        channel = Grpc.newChannelBuilderForAddress("localhost", port, InsecureChannelCredentials.create())
                .intercept(GrpcQalm.client(caller))
                .defaultServiceConfig(GrpcQalm.retryBudget())
                .build();
        // :guide
        return channel;
    }

    private static List<String> blocks(String language) throws IOException {
        Matcher blocks =
                Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(GUIDE));
        return blocks.results().map(block -> block.group(1)).toList();
    }

    @Test
    void guide_itsCode_isTheCodeThatIsRunHere() throws IOException {
        Matcher marked = Pattern.compile("// guide:\n(.*?)\n *// :guide\n", Pattern.DOTALL)
                .matcher(Files.readString(SOURCE));
        List<String> here = marked.results()
                .map(match -> match.group(1).stripIndent() + "\n")
                .toList();
        assertThat(here).hasSize(3);
        assertThat(blocks("java")).isEqualTo(here);
    }

    private ServerServiceDefinition service() {
        return ServerServiceDefinition.builder("shop.Cart")
                .addMethod(GET, ServerCalls.asyncUnaryCall((text, answer) -> {
                    Await.zero("the release", blocked);
                    answer.onNext("cart of " + text);
                    answer.onCompleted();
                }))
                .build();
    }

    private static String get(ManagedChannel channel) {
        return ClientCalls.blockingUnaryCall(
                channel,
                GET,
                CallOptions.DEFAULT.withDeadlineAfter(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS),
                "alice");
    }

    @Test
    void guide_followed_underOverloadTheReportIsRefusedAndCheckoutIsServed() throws Exception {
        Path rules =
                Files.writeString(folder.resolve("qalm.yaml"), blocks("yaml").get(0));
        ExecutorService clients = Executors.newFixedThreadPool(2 * WORKERS);
        Protected served = new Protected(0, service(), rules, folder.resolve("state"));
        try {
            ManagedChannel checkout = connect(served.server.getPort(), "checkout");
            ManagedChannel report = connect(served.server.getPort(), "nightly-report");
            List<Future<String>> carts = new ArrayList<>();
            for (int i = 0; i < 2 * WORKERS; i++) {
                carts.add(clients.submit(() -> get(checkout)));
            }
            awaitOverload(served.live);
            StatusRuntimeException refused =
                    Objects.requireNonNull(catchThrowableOfType(StatusRuntimeException.class, () -> get(report)));
            assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
            assertThat(Objects.requireNonNull(refused.getTrailers()).get(LaneExecutors.ascii(CallHeaders.DECISION)))
                    .matches("lane=shop.Cart/Get;level=3;reason=(gate|evicted|cannot_finish)");
            blocked.countDown();
            for (Future<String> cart : carts) {
                assertThat(Await.get(cart)).isEqualTo("cart of alice");
            }
            checkout.shutdownNow();
            report.shutdownNow();
        } finally {
            clients.shutdown();
            served.stop();
        }
    }

    private static void awaitOverload(LiveQalm live) {
        Await.until(
                () -> "an overload of " + live.qalm().snapshot(),
                () -> live.qalm().lane("shop.Cart/Get").snapshot().overloaded());
    }
}
