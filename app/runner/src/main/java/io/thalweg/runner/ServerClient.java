package io.thalweg.runner;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.thalweg.model.deployment.TrustedCertificates;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * A client of a feature server or of its admin port, over HTTP: for reads of one view and for other resources.
 *
 * <p>It uses {@link HttpURLConnection}, since Java's other client starts a thread for its selector, for which the JVM waits 0.3 s
 * when a command ends.
 */
public final class ServerClient {
    /** The address of a server that is started without options. */
    public static final String DEFAULT_SERVER = "http://127.0.0.1:8080";

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    /** A backup links the store's files, but flushes its memory first. */
    private static final Duration BACKUP_TIMEOUT = Duration.ofMinutes(5);

    /** A recording takes 5 s, and starting it on a busy machine may take as long. */
    private static final Duration PROFILE_TIMEOUT = Duration.ofMinutes(1);

    private static final int UNAUTHENTICATED = 401;
    private static final JsonMapper JSON = new JsonMapper();

    static {
        System.setProperty("sun.net.http.retryPost", "false"); // a request that may have taken effect is not repeated
    }

    private final @Nullable SSLSocketFactory trusted;
    private final Port port;
    private final String server;
    private final String view;
    private final @Nullable String token;

    /** A port of a server, named in error messages if it cannot be reached. */
    public enum Port {
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
    public ServerClient(Port port, String server, String view, @Nullable String token, @Nullable Path ca) {
        trusted = ca == null ? null : trusting(ca);
        this.port = port;
        this.token = token;
        this.server = server.endsWith("/") ? server.substring(0, server.length() - 1) : server;
        this.view = URLEncoder.encode(view, StandardCharsets.UTF_8);
    }

    private static SSLSocketFactory trusting(Path ca) {
        try {
            return TrustedCertificates.context(ca).getSocketFactory();
        } catch (IOException e) {
            throw UserError.usage("--ca: " + FileReason.of(e), "").causedBy(e);
        } catch (GeneralSecurityException e) {
            throw UserError.usage("--ca must be PEM certificates, was " + ca, "")
                    .causedBy(e);
        }
    }

    /** Reads the entities and features of the view. */
    public JsonNode view() {
        return get("/v1/views/" + view);
    }

    /** Reads a resource. */
    public JsonNode get(String path) {
        return json(send("GET", path, null, TIMEOUT));
    }

    /** Sends a read and returns the answer. */
    public String read(String body) {
        return send("POST", "/v1/views/" + view + ":read", body, TIMEOUT);
    }

    /** Sends a scan and returns the answer. */
    public String scan(String body) {
        return send("POST", "/v1/views/" + view + ":scan", body, TIMEOUT);
    }

    /** Records for some seconds which code of the process computes and allocates. */
    public JsonNode profile() {
        return json(send("POST", "/v1/jobs:profile", "{}", PROFILE_TIMEOUT));
    }

    /** Requests a copy of the store from the admin port and returns the answer. */
    public JsonNode backup(String name, String author) {
        String body =
                JSON.createObjectNode().put("name", name).put("author", author).toString();
        return json(send("POST", "/v1/store:backup", body, BACKUP_TIMEOUT));
    }

    /** Asks the admin port to switch an alias to another version of its view, and returns the answer. */
    public JsonNode switchAlias(String name, String version, boolean force, String author) {
        String body = JSON.createObjectNode()
                .put("view", version)
                .put("force", force)
                .put("author", author)
                .toString();
        return json(send("PUT", "/v1/aliases/" + URLEncoder.encode(name, StandardCharsets.UTF_8), body, TIMEOUT));
    }

    private String send(String method, String path, @Nullable String body, Duration timeout) {
        try {
            HttpURLConnection request = connection(path);
            request.setRequestMethod(method);
            request.setConnectTimeout((int) TIMEOUT.toMillis());
            request.setReadTimeout((int) timeout.toMillis());
            request.setInstanceFollowRedirects(false);
            if (token != null) {
                request.setRequestProperty("authorization", "Bearer " + token);
            }
            if (body != null) {
                request.setRequestProperty("content-type", "application/json");
                request.setDoOutput(true);
                try (OutputStream out = request.getOutputStream()) {
                    out.write(body.getBytes(StandardCharsets.UTF_8));
                }
            }
            int status = request.getResponseCode();
            String answer = text(status < 400 ? request.getInputStream() : request.getErrorStream());
            if (status != 200) {
                throw refused(status, answer);
            }
            return answer;
        } catch (SSLException e) {
            throw UserError.failed(
                            "cannot reach " + server + ": " + e.getMessage(),
                            "name the certificates to trust with --ca; the address must be a name in the server's certificate")
                    .causedBy(e);
        } catch (IOException e) {
            throw UserError.failed("cannot reach " + server, port.hint).causedBy(e);
        }
    }

    private HttpURLConnection connection(String path) throws IOException {
        URL url;
        try {
            url = URI.create(server + path).toURL();
        } catch (IllegalArgumentException | MalformedURLException e) {
            throw notAUrl().causedBy(e);
        }
        if (!(url.openConnection() instanceof HttpURLConnection connection)
                || url.getHost().isEmpty()) {
            throw notAUrl();
        }
        if (trusted != null && connection instanceof HttpsURLConnection https) {
            https.setSSLSocketFactory(trusted);
        }
        return connection;
    }

    private UserError notAUrl() {
        return UserError.usage(port.option + " must be a URL, was '" + server + "'", "such as " + DEFAULT_SERVER);
    }

    /** Reads an answer to its end; an error may have none. */
    private static String text(@Nullable InputStream answer) throws IOException {
        if (answer == null) {
            return "";
        }
        try (answer) {
            return new String(answer.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Reports a bad request as wrong use, and everything else as a failure. */
    private UserError refused(int code, String answer) {
        String message = message(answer);
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

    public static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw UserError.failed("the server's answer is not JSON", "does --server name a Thalweg server?")
                    .causedBy(e);
        }
    }
}
