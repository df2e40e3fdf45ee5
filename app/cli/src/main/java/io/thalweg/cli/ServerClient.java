package io.thalweg.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.thalweg.model.deployment.TrustedCertificates;
import io.thalweg.runner.FileReason;
import io.thalweg.runner.UserError;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** A client of a feature server or of its admin port, over HTTP: for reads of one view and for other resources. */
final class ServerClient {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    /** A backup links the store's files, but flushes its memory first. */
    private static final Duration BACKUP_TIMEOUT = Duration.ofMinutes(5);

    /** A recording takes 5 s, and starting it on a busy machine may take as long. */
    private static final Duration PROFILE_TIMEOUT = Duration.ofMinutes(1);

    private static final int UNAUTHENTICATED = 401;
    private static final JsonMapper JSON = new JsonMapper();

    private final HttpClient http;
    private final Port port;
    private final String server;
    private final String view;
    private final @Nullable String token;

    /** A port of a server, named in error messages if it cannot be reached. */
    enum Port {
        FEATURES("--server", "start a server with thalweg demo or thalweg run VIEW --serve, or name one with --server"),
        ADMIN(
                "--admin",
                "start the process with server.admin_port in thalweg.yaml, or name its admin port with --admin");

        private final String option;
        private final String hint;

        Port(String option, String hint) {
            this.option = option;
            this.hint = hint;
        }
    }

    /**
     * Creates a client.
     *
     * @param port which of the server's ports
     * @param server {@code http://host:port} or {@code https://host:port}
     * @param token authenticates the caller; null = no authentication
     * @param ca PEM certificates to trust; null = the default trust store of Java
     */
    ServerClient(Port port, String server, String view, @Nullable String token, @Nullable Path ca) {
        HttpClient.Builder client =
                HttpClient.newBuilder().connectTimeout(TIMEOUT).version(HttpClient.Version.HTTP_1_1);
        http = (ca == null ? client : client.sslContext(trusting(ca))).build();
        this.port = port;
        this.token = token;
        this.server = server.endsWith("/") ? server.substring(0, server.length() - 1) : server;
        this.view = URLEncoder.encode(view, StandardCharsets.UTF_8);
    }

    private static SSLContext trusting(Path ca) {
        try {
            return TrustedCertificates.context(ca);
        } catch (IOException e) {
            throw UserError.usage("--ca: " + FileReason.of(e), "").causedBy(e);
        } catch (GeneralSecurityException e) {
            throw UserError.usage("--ca must be PEM certificates, was " + ca, "")
                    .causedBy(e);
        }
    }

    /** Reads the entities and features of the view. */
    JsonNode view() {
        return get("/v1/views/" + view);
    }

    /** Reads a resource. */
    JsonNode get(String path) {
        return json(send(request(path).GET()));
    }

    /** Sends a read and returns the answer. */
    String read(String body) {
        return post(":read", body);
    }

    /** Sends a scan and returns the answer. */
    String scan(String body) {
        return post(":scan", body);
    }

    private String post(String verb, String body) {
        return send(request("/v1/views/" + view + verb)
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    /** Records for some seconds which code of the process computes and allocates. */
    JsonNode profile() {
        return json(send(request("/v1/jobs:profile")
                .timeout(PROFILE_TIMEOUT)
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{}"))));
    }

    /** Requests a copy of the store from the admin port and returns the answer. */
    JsonNode backup(String name, String author) {
        String body =
                JSON.createObjectNode().put("name", name).put("author", author).toString();
        return json(send(request("/v1/store:backup")
                .timeout(BACKUP_TIMEOUT)
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))));
    }

    /** Asks the admin port to switch an alias to another version of its view, and returns the answer. */
    JsonNode switchAlias(String name, String version, boolean force, String author) {
        String body = JSON.createObjectNode()
                .put("view", version)
                .put("force", force)
                .put("author", author)
                .toString();
        return json(send(request("/v1/aliases/" + URLEncoder.encode(name, StandardCharsets.UTF_8))
                .header("content-type", "application/json")
                .PUT(HttpRequest.BodyPublishers.ofString(body))));
    }

    private HttpRequest.Builder request(String path) {
        try {
            HttpRequest.Builder request =
                    HttpRequest.newBuilder(URI.create(server + path)).timeout(TIMEOUT);
            return token == null ? request : request.header("authorization", "Bearer " + token);
        } catch (IllegalArgumentException e) {
            throw UserError.usage(
                            port.option + " must be a URL, was '" + server + "'",
                            "such as " + ServerOptions.DEFAULT_SERVER)
                    .causedBy(e);
        }
    }

    private String send(HttpRequest.Builder request) {
        HttpResponse<String> response;
        try {
            response = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (SSLException e) {
            throw UserError.failed(
                            "cannot reach " + server + ": " + e.getMessage(),
                            "name the certificates to trust with --ca; the address must be a name in the server's certificate")
                    .causedBy(e);
        } catch (IOException e) {
            throw UserError.failed("cannot reach " + server, port.hint).causedBy(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw UserError.failed("interrupted", "").causedBy(e);
        }
        if (response.statusCode() != 200) {
            throw refused(response);
        }
        return response.body();
    }

    /** Reports a bad request as wrong use, and everything else as a failure. */
    private UserError refused(HttpResponse<String> response) {
        int code = response.statusCode();
        String message = message(response.body());
        String text = message.isEmpty() ? server + " answers with HTTP status " + code : message;
        String fix = code == UNAUTHENTICATED ? "put a token into THALWEG_TOKEN or --token-file" : "";
        return new UserError(text, fix, code >= 400 && code < 500 ? UserError.USAGE : UserError.FAILED);
    }

    private static String message(String body) {
        try {
            return JSON.readTree(body).path("error").path("message").asText("");
        } catch (IOException e) {
            return "";
        }
    }

    static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw UserError.failed("the server's answer is not JSON", "does --server name a Thalweg server?")
                    .causedBy(e);
        }
    }
}
