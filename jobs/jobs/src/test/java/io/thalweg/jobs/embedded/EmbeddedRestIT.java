package io.thalweg.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.jobs.EmbeddedFlink;
import io.thalweg.jobs.StatePath;
import io.thalweg.live.FlinkApi;
import io.thalweg.testing.Await;
import io.thalweg.testing.ListeningSockets;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A job in a mini cluster of this process, attacked from this machine. */
@Tag("faults")
class EmbeddedRestIT {
    private static final Duration PATIENCE = Await.PATIENCE;
    /** The first byte of the BLOB server's answer to a PUT that it has accepted. */
    private static final int BLOB_ACCEPTED = 0;

    @TempDir
    static Path folder;

    /** The sockets of the tests that ran in this process before, and of what they share. */
    private static List<InetSocketAddress> older;

    private static EmbeddedEnvironment environment;
    private static JobClient job;
    private static String secret;
    private static FlinkApi rest;
    private static int port;

    @BeforeAll
    static void startJob() throws Exception {
        older = ListeningSockets.of(ProcessHandle.current());
        environment = EmbeddedFlink.live(1, StatePath.of(folder.resolve("checkpoints")), Duration.ofMillis(200), null);
        environment.fromSequence(0, Long.MAX_VALUE).sinkTo(new DiscardingSink<>());
        job = environment.executeAsync();
        secret = environment.getConfiguration().get(RestGuard.SECRET);
        await(() -> job.getJobStatus().get() == JobStatus.RUNNING);
        rest = environment.job(job).rest();
        port = rest.uri().getPort();
    }

    @AfterAll
    static void stopJob() throws Exception {
        job.cancel().get();
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    private static void await(Condition condition) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.holds()) {
            assertThat(System.nanoTime()).as("deadline").isLessThan(deadline);
            Thread.sleep(50);
        }
    }

    @Test
    void get_withTheSecret_readsCheckpointsAndBackPressure() throws Exception {
        String path = "/jobs/" + job.getJobID();
        await(() ->
                rest.get(path + "/checkpoints").path("counts").path("completed").asInt() > 0);
        String vertex = rest.get(path).path("vertices").path(0).path("id").asText();
        assertThat(rest.get(path + "/vertices/" + vertex + "/backpressure").has("status"))
                .isTrue();
    }

    @Test
    void get_resourceThatDoesNotExist_namesIt() {
        assertThatThrownBy(() -> rest.get("/jobs/" + "0".repeat(32)))
                .isInstanceOf(IOException.class)
                .hasMessage(rest.uri() + "/jobs/" + "0".repeat(32) + " answers 404");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /jobs/JOB/yarn-cancel",
                "GET /jobs/JOB/yarn-stop",
                "GET /jobs/JOB/yarn%2Dcancel",
                "GET /jobs/JOB/./yarn-cancel",
                "PATCH /jobs/JOB?mode=cancel",
                "POST /jobs/JOB/stop",
                "POST /jobs/JOB/savepoints",
                "POST /jobs",
                "POST /jars/upload",
                "DELETE /cluster",
                "GET /jars",
                "OPTIONS /jobs",
            })
    void request_thatMayChangeSomething_isRefusedEvenWithTheSecret(String request) throws Exception {
        String line = request.replace("JOB", job.getJobID().toString());
        assertThat(answer(line, "Host: 127.0.0.1:" + port, "Authorization: Bearer " + secret))
                .startsWith("HTTP/1.1 403");
        assertThat(job.getJobStatus().get()).isEqualTo(JobStatus.RUNNING);
    }

    @Test
    void request_withoutTheSecretOrFromAPage_isRefused() throws Exception {
        String read = "GET /jobs";
        String host = "Host: 127.0.0.1:" + port;
        String authorization = "Authorization: Bearer " + secret;
        assertThat(answer(read, host, authorization))
                .startsWith("HTTP/1.1 200")
                .doesNotContainIgnoringCase("access-control-allow-origin: *");
        assertThat(answer(read, host)).startsWith("HTTP/1.1 403");
        assertThat(answer(read, host, "Authorization: Bearer " + secret + "x")).startsWith("HTTP/1.1 403");
        assertThat(answer(read, "Host: thalweg.example:" + port, authorization)).startsWith("HTTP/1.1 403");
        assertThat(answer(read, host, authorization, "Origin: http://thalweg.example"))
                .startsWith("HTTP/1.1 403");
        assertThat(answer(read, host, authorization, "Origin: null")).startsWith("HTTP/1.1 403");
    }

    @Test
    void upload_withoutTheSecret_leavesNothingOnDisk() throws Exception {
        Path uploads = Path.of(environment.getConfiguration().get(org.apache.flink.configuration.WebOptions.TMP_DIR));
        String body =
                "--b\r\nContent-Disposition: form-data; name=\"request\"; filename=\"planted\"\r\n\r\nplanted\r\n--b--\r\n";
        assertThat(answer(
                        "POST /jobs",
                        "Host: 127.0.0.1:" + port,
                        "Content-Type: multipart/form-data; boundary=b",
                        "Content-Length: " + body.length() + "\r\nConnection: close\r\n\r\n" + body))
                .startsWith("HTTP/1.1 403");
        assertThat(filesNamed("planted", uploads)).isEmpty();
    }

    /** Lists files below a folder in which other processes and threads create and delete files concurrently. */
    private static List<Path> filesNamed(String part, Path folder) throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.getFileName().toString().contains(part)) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) {
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path each, @Nullable IOException failure) {
                return FileVisitResult.CONTINUE;
            }
        });
        return found;
    }

    @Test
    void get_pathThatNamesAnotherHost_isRefusedBeforeTheSecretIsSent() {
        for (String path : List.of("//thalweg.example/jobs", "http://thalweg.example/jobs", "@thalweg.example/jobs")) {
            assertThatThrownBy(() -> rest.get(path))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("path must begin with one '/', such as /jobs, was " + path);
        }
    }

    /** Sends to each port of the job, in Flink's own protocol: PUT, no job, transient; then the length, the bytes, the end. */
    @Test
    void blobPut_toAnyPort_leavesNothingOnDisk() throws Exception {
        List<InetSocketAddress> sockets = new ArrayList<>(ListeningSockets.of(ProcessHandle.current()));
        sockets.removeAll(older);
        assertThat(sockets).hasSizeGreaterThanOrEqualTo(2); // REST and BLOB server
        for (InetSocketAddress socket : sockets) {
            assertThat(putBlob(socket)).as("answer of %s", socket).isNotEqualTo(BLOB_ACCEPTED);
        }
        assertThat(job.getJobStatus().get()).isEqualTo(JobStatus.RUNNING);
    }

    private static int putBlob(InetSocketAddress to) throws IOException {
        byte[] content = "planted".getBytes(StandardCharsets.UTF_8);
        byte[] put = {0, 0, 1, (byte) content.length, 0, 0, 0};
        byte[] last = {-1, -1, -1, -1};
        try (Socket socket = new Socket(to.getAddress(), to.getPort())) {
            socket.setSoTimeout((int) PATIENCE.toMillis());
            OutputStream out = socket.getOutputStream();
            out.write(put);
            out.write(content);
            out.write(last);
            socket.shutdownOutput();
            return socket.getInputStream().read();
        } catch (SocketException e) {
            return -1; // the server closed the connection
        }
    }

    @Test
    void process_withAJob_listensOnLoopbackOnly() {
        List<InetSocketAddress> sockets = ListeningSockets.of(ProcessHandle.current());
        assertThat(sockets).anyMatch(socket -> socket.getPort() == port);
        assertThat(sockets).allMatch(socket -> socket.getAddress().isLoopbackAddress());
    }

    private static String answer(String request, String... headers) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout((int) PATIENCE.toMillis());
            String text = request + " HTTP/1.1\r\n" + String.join("\r\n", headers) + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
