package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.devkit.PythonEnvironment;
import io.thalweg.testing.Await;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.HttpOne;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;

/**
 * Moto's server in a process of its own, with a bucket in memory. It implements the S3 protocol, and refuses requests that are not
 * signed with the key of its only user. If it cannot be installed, tests that need it are skipped with a message.
 */
record S3Server(Subprocess server, URI uri, String key, String secret) implements AutoCloseable {
    static final String BUCKET = "flink";

    private static final String POLICY =
            "{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Allow\",\"Action\":\"s3:*\",\"Resource\":\"*\"}]}";
    /** Patches moto, which checks signatures with botocore: that omits the client name, which Flink's plugin signs too. */
    private static final String PROGRAM = """
            import sys, botocore.auth, moto.server
            botocore.auth.SIGNED_HEADERS_BLACKLIST.remove('user-agent')
            moto.server.main(['-H', '127.0.0.1', '-p', sys.argv[1]])
            """;

    private static final String VERSION = "5.2.5";
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final HttpClient HTTP = HttpOne.client();

    /** Starts with an empty bucket. */
    static S3Server start(Path folder) throws IOException, InterruptedException {
        String port = String.valueOf(FreePorts.next());
        String python = bin().resolve("python").toString();
        Subprocess server = Subprocess.start(folder, Map.of(), List.of(python, "-c", PROGRAM, port));
        URI uri = URI.create("http://127.0.0.1:" + port);
        try {
            server.awaitLine("Running on", PATIENCE);
            send(HttpRequest.newBuilder(uri.resolve("/" + BUCKET)).PUT(HttpRequest.BodyPublishers.noBody()));
            manageUser(uri, "CreateUser");
            manageUser(uri, "PutUserPolicy", "PolicyName", "s3", "PolicyDocument", POLICY);
            String keys = manageUser(uri, "CreateAccessKey");
            requireSignatures(uri, true);
            return new S3Server(server, uri, element(keys, "AccessKeyId"), element(keys, "SecretAccessKey"));
        } catch (IOException | InterruptedException | RuntimeException | Error e) {
            server.close();
            throw e;
        }
    }

    private static String manageUser(URI uri, String action, String... more) throws IOException, InterruptedException {
        StringBuilder form = new StringBuilder("Version=2010-05-08&UserName=thalweg&Action=" + action);
        for (int i = 0; i < more.length; i += 2) {
            form.append('&').append(more[i]).append('=').append(URLEncoder.encode(more[i + 1], StandardCharsets.UTF_8));
        }
        return send(HttpRequest.newBuilder(uri)
                .header("content-type", "application/x-www-form-urlencoded")
                // Moto reads the requested service from the scope of the signature.
                .header(
                        "authorization",
                        "AWS4-HMAC-SHA256 Credential=none/20260101/us-east-1/iam/aws4_request, SignedHeaders=host, Signature=none")
                .POST(HttpRequest.BodyPublishers.ofString(form.toString())));
    }

    /** Sets the number of requests that need no signature, as moto expects it. */
    private static void requireSignatures(URI uri, boolean required) throws IOException, InterruptedException {
        send(HttpRequest.newBuilder(uri.resolve("/moto-api/reset-auth"))
                .POST(HttpRequest.BodyPublishers.ofString(required ? "0" : "inf")));
    }

    private static String element(String xml, String name) {
        Matcher element =
                Pattern.compile("<%1$s>([^<]+)</%1$s>".formatted(name)).matcher(xml);
        assertThat(element.find()).as("%s in %s", name, xml).isTrue();
        return element.group(1);
    }

    private static Path bin() throws IOException {
        try {
            return PythonEnvironment.installed("moto-" + VERSION, "moto[s3,server]==" + VERSION)
                    .bin();
        } catch (IllegalStateException e) {
            String reason = "storage in S3 was not tried: " + e.getMessage();
            System.err.println(reason);
            return Assumptions.abort(reason);
        }
    }

    /** Variables that clients need to reach the server, by the names of {@code cluster.sh} and of Amazon's own clients. */
    Map<String, String> environment() {
        return Map.of("S3_ENDPOINT", uri.toString(), "AWS_ACCESS_KEY_ID", key, "AWS_SECRET_ACCESS_KEY", secret);
    }

    /** The answer of S3 that lists the objects whose keys begin in this way. */
    String list(String prefix) throws IOException, InterruptedException {
        requireSignatures(uri, false);
        String listed = send(HttpRequest.newBuilder(uri.resolve("/" + BUCKET + "?list-type=2&prefix=" + prefix)));
        requireSignatures(uri, true);
        return listed;
    }

    private static String send(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> response = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new AssertionError(response + ": " + response.body());
        }
        return response.body();
    }

    @Override
    public void close() {
        server.close();
    }
}
