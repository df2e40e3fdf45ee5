package io.thalweg.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One page of a headless Chromium, driven over its DevTools protocol. */
public final class Browser implements WebSocket.Listener {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long PATIENCE_S = Await.PATIENCE.toSeconds();

    private final Process process;
    private final AtomicInteger ids = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonNode>> asked = new ConcurrentHashMap<>();
    private final StringBuilder arriving = new StringBuilder();
    private final List<String> complaints = Collections.synchronizedList(new ArrayList<>());
    private @Nullable WebSocket socket;

    private Browser(Process process) {
        this.process = process;
    }

    /** Finds a Chromium on the path; empty if there is none. */
    public static Optional<Path> installed() {
        String path = System.getenv().getOrDefault("PATH", "");
        return Stream.of("chromium", "chromium-browser", "google-chrome", "chrome-headless-shell")
                .flatMap(name -> Stream.of(path.split(":")).map(folder -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Starts a Chromium with its own profile; the caller must end it. */
    public static Browser start(Path program, Path profile) throws Exception {
        Process process = new ProcessBuilder(
                        program.toString(),
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-quic",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--disable-dev-shm-usage",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + profile,
                        "about:blank")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        Browser browser = new Browser(process);
        try {
            browser.connect();
            return browser;
        } catch (Exception e) {
            browser.end();
            throw e;
        }
    }

    private void connect() throws Exception {
        BufferedReader said = process.errorReader(StandardCharsets.UTF_8);
        int port = CompletableFuture.supplyAsync(() -> port(said)).get(PATIENCE_S, TimeUnit.SECONDS);
        HttpClient http = HttpClient.newHttpClient();
        HttpRequest fresh = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json/new?about:blank"))
                .PUT(HttpRequest.BodyPublishers.noBody())
                .build();
        JsonNode page = JSON.readTree(
                http.send(fresh, HttpResponse.BodyHandlers.ofString()).body());
        socket = http.newWebSocketBuilder()
                .buildAsync(URI.create(page.path("webSocketDebuggerUrl").asText()), this)
                .get(PATIENCE_S, TimeUnit.SECONDS);
        for (String domain : List.of("Page", "Runtime", "Log")) {
            call(domain + ".enable", Map.of());
        }
    }

    private static int port(BufferedReader said) {
        String line = said.lines()
                .filter(each -> each.startsWith("DevTools listening on "))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("Chromium ended"));
        // Chromium would block on a full pipe.
        var unused = CompletableFuture.runAsync(() -> said.lines().forEach(each -> {}));
        return URI.create(line.substring("DevTools listening on ".length())).getPort();
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        arriving.append(data);
        if (last) {
            String message = arriving.toString();
            arriving.setLength(0);
            arrived(message);
        }
        from.request(1);
        return null;
    }

    private void arrived(String message) {
        try {
            JsonNode node = JSON.readTree(message);
            CompletableFuture<JsonNode> waiting = asked.remove(node.path("id").asInt(-1));
            if (waiting != null) {
                waiting.complete(node);
            } else if (isComplaint(node)) {
                complaints.add(message);
            }
        } catch (IOException e) {
            complaints.add(message);
        }
    }

    private static boolean isComplaint(JsonNode event) {
        return event.path("method").asText().equals("Runtime.exceptionThrown")
                || event.path("params").path("entry").path("level").asText().equals("error");
    }

    /** The errors of the page: exceptions, missing files and blocked files. */
    public List<String> complaints() {
        return List.copyOf(complaints);
    }

    /** Calls a method of the DevTools protocol and returns its result. */
    public JsonNode call(String method, Map<String, ?> parameters) throws Exception {
        int id = ids.incrementAndGet();
        ObjectNode message = JSON.createObjectNode().put("id", id).put("method", method);
        message.set("params", JSON.valueToTree(parameters));
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        asked.put(id, answer);
        WebSocket open = socket;
        if (open == null) {
            throw new IllegalStateException("not connected");
        }
        open.sendText(message.toString(), true).get(PATIENCE_S, TimeUnit.SECONDS);
        JsonNode node = answer.get(PATIENCE_S, TimeUnit.SECONDS);
        if (node.has("error") || node.path("result").has("exceptionDetails")) {
            throw new IllegalStateException(method + " " + parameters + ": " + node);
        }
        return node.path("result");
    }

    /** Opens an address; returns before the page is complete. */
    public void open(String url) throws Exception {
        call("Page.navigate", Map.of("url", url));
    }

    /** Evaluates a JavaScript expression and returns its value. */
    public JsonNode value(String expression) throws Exception {
        return call("Runtime.evaluate", Map.of("expression", expression, "returnByValue", true, "awaitPromise", true))
                .path("result")
                .path("value");
    }

    /** Waits until an expression is true. */
    public void await(String expression) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
        while (!value(expression).asBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("not true in time: " + expression + "\npage: "
                        + value("document.body.innerText").asText() + "\ncomplaints: " + complaints);
            }
            // Lets the page paint before the next evaluation.
            value("new Promise((resolve) => setTimeout(resolve, 50))");
        }
    }

    /** Presses a key that has no character, such as {@code Tab}. */
    public void press(String key, int code) throws Exception {
        for (String type : List.of("rawKeyDown", "keyUp")) {
            call(
                    "Input.dispatchKeyEvent",
                    Map.of("type", type, "key", key, "code", key, "windowsVirtualKeyCode", code));
        }
    }

    /** Types characters, key by key. */
    public void type(String text) throws Exception {
        for (String letter : text.split("")) {
            int code = letter.toUpperCase(java.util.Locale.ROOT).charAt(0);
            call(
                    "Input.dispatchKeyEvent",
                    Map.of("type", "keyDown", "text", letter, "key", letter, "windowsVirtualKeyCode", code));
            call("Input.dispatchKeyEvent", Map.of("type", "keyUp", "key", letter, "windowsVirtualKeyCode", code));
        }
    }

    /** Writes the whole page to a PNG file. */
    public void screenshot(Path file) throws Exception {
        String png = call("Page.captureScreenshot", Map.of("format", "png", "captureBeyondViewport", true))
                .path("data")
                .asText();
        Files.write(file, Base64.getDecoder().decode(png));
    }

    /** The processor time of all processes of the browser so far, in steps of about 10 ms. */
    public Duration cpuTime() {
        return Stream.concat(Stream.of(process.toHandle()), process.descendants())
                .flatMap(each -> each.info().totalCpuDuration().stream())
                .reduce(Duration.ZERO, Duration::plus);
    }

    /** Ends the browser. */
    public void end() throws InterruptedException {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor(PATIENCE_S, TimeUnit.SECONDS);
    }
}
