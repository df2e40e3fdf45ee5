package io.thalweg.server.admin;

import static io.thalweg.server.ServerFixture.CELL;
import static io.thalweg.server.ServerFixture.DEMAND;
import static io.thalweg.server.ServerFixture.PRODUCT;
import static io.thalweg.server.ServerFixture.T;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.thalweg.model.deployment.Access;
import io.thalweg.qalm.Mode;
import io.thalweg.qalm.wire.CallHeaders;
import io.thalweg.server.FeatureServer;
import io.thalweg.server.HeldStore;
import io.thalweg.server.ServerConfig;
import io.thalweg.server.access.Callers;
import io.thalweg.server.telemetry.Metrics;
import io.thalweg.testing.Await;
import io.thalweg.testing.Browser;
import io.thalweg.testing.FakeClock;
import io.thalweg.testing.HttpOne;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The page in a real browser, in front of a real, overloaded server. */
class AdminPageIT {
    private static final String READ = "POST /v1/views/NAME:read";
    private static final String STRANGE = "<img src=x onerror=document.title=1>";
    private static final String BODY =
            "{\"entities\":[{\"cell\":\"" + Long.toHexString(CELL) + "\",\"product\":\"" + PRODUCT + "\"}]}";

    /** A refused caller pauses before its next call. */
    private static final Executor PAUSE = CompletableFuture.delayedExecutor(50, TimeUnit.MILLISECONDS);

    /** Chromium keeps writing for a moment after it is asked to exit. */
    @TempDir(cleanup = CleanupMode.NEVER)
    Path folder;

    private final HeldStore store = new HeldStore();
    private final HttpClient http = HttpOne.client();
    private final AtomicBoolean over = new AtomicBoolean();
    private FeatureServer server;
    private Browser browser;

    @BeforeEach
    void start() throws Exception {
        Optional<Path> chromium = Browser.installed();
        assumeTrue(chromium.isPresent(), "the page is not tested: no Chromium here (apt-get install chromium)");
        store.release.countDown();
        store.readNanos = TimeUnit.MILLISECONDS.toNanos(20);
        server = start(Access.OPEN);
        browser = Browser.start(chromium.get(), folder.resolve("profile"));
    }

    private FeatureServer start(Access access) {
        ServerConfig config = ServerConfig.loopback(0)
                .withBind("127.0.0.1", access)
                .withAdminPort(0)
                .withReads(2, 256)
                .withDrain(Duration.ofSeconds(1))
                .withRequestTimeout(Await.PATIENCE)
                .withQalm(new ServerConfig.Qalm(Mode.ON, null, folder.resolve("state")));
        return FeatureServer.start(
                config, List.of(DEMAND), store, null, new FakeClock(Instant.ofEpochMilli(T)), new Metrics());
    }

    @AfterEach
    void stop() throws Exception {
        over.set(true);
        if (browser != null) {
            browser.end();
        }
        if (server != null) {
            server.stop();
        }
    }

    /** Calls in a loop, {@code atOnce} calls at a time. */
    private void load(String caller, int atOnce) {
        HttpRequest read = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + server.port() + "/v1/views/demand:read"))
                .header(CallHeaders.CALLER, caller)
                .POST(HttpRequest.BodyPublishers.ofString(BODY))
                .build();
        for (int i = 0; i < atOnce; i++) {
            again(read);
        }
    }

    private void again(HttpRequest read) {
        if (!over.get()) {
            var unused = http.sendAsync(read, HttpResponse.BodyHandlers.discarding())
                    .whenCompleteAsync((answer, failure) -> again(read), PAUSE);
        }
    }

    private void open() throws Exception {
        browser.call(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", 1280, "height", 900, "deviceScaleFactor", 1, "mobile", false));
        browser.open("http://127.0.0.1:" + server.adminPort().orElseThrow() + "/#/load");
    }

    /** Waits until the rows of callers can be seen: an endpoint is folded until its first calls have been counted. */
    private void awaitCallers(int callers) throws Exception {
        browser.await(
                "[...document.querySelectorAll('.callers tbody tr')].filter((row) => row.offsetParent).length === "
                        + callers);
    }

    private void tabTo(String label) throws Exception {
        for (int i = 0; i < 60; i++) {
            if (browser.value("document.activeElement.getAttribute('aria-label') ?? document.activeElement.id")
                    .asText()
                    .equals(label)) {
                return;
            }
            browser.press("Tab", 9);
        }
        throw new AssertionError("the keyboard does not reach " + label);
    }

    private String rules() throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + server.adminPort().orElseThrow() + "/v1/qalm/rules");
        return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }

    @Tag("test")
    @Test
    void page_underLoad_showsItAndChangesTheRulesByKeyboardAlone() throws Exception {
        load("checkout", 1);
        load("batch", 30);
        load(STRANGE, 1);
        open();
        browser.await("document.querySelector('article h2')?.textContent === '" + READ + "'");
        awaitCallers(3);
        assertThat(browser.value("document.images.length").asInt())
                .as("a caller's name is text")
                .isZero();
        browser.await("document.body.textContent.includes('" + STRANGE + "')");

        browser.value("document.body.focus()");
        tabTo("author");
        browser.type("alice");
        tabTo("Criticality of batch at " + READ);
        browser.type("3");
        browser.press("Enter", 13);
        browser.await("document.querySelector('#audit').textContent.includes('callers.batch: – → 3')");
        assertThat(rules()).contains("\"author\":\"alice\"").contains("{\"callers\":{\"batch\":3}}");
        browser.await(
                "document.querySelector('#rules-in-force').textContent.startsWith('Version 1 of the rules, by alice')");

        // 32 at a time on four slots: an overload, in which the batch job's calls are shed.
        browser.await("[...document.querySelectorAll('.callers tbody tr')].some((row) =>"
                + " row.dataset.caller === 'batch' && Number(row.cells[3].textContent.replaceAll(',', '')) > 0)");
        browser.await("[...document.querySelectorAll('.charts polyline')].every((line) =>"
                + " line.getAttribute('points').split(' ').length >= 3)");
        browser.await("Number(document.querySelector('.outcomes tr[data-outcome=gate]')?.cells[4].textContent"
                + ".replaceAll(',', '')) > 0");
        browser.await("document.querySelector('.state').textContent.match(/^overloaded, [0-9.]+ % shed$/) !== null");
        browser.await("document.querySelector('#process').textContent.match("
                + "/^[0-9]+ of 4 slots free to borrow; pressure of .*heap [0-9.]+.*; pauses: [0-9]+$/) !== null");
        browser.screenshot(Path.of("target", "admin-page.png"));

        for (String region : List.of("What becomes of calls", "Callers")) {
            tabTo(region);
        }
        tabTo("Mode of " + READ);
        browser.press("ArrowDown", 40);
        browser.press("Escape", 27);
        assertThat(rules()).as("taken back").contains("\"version\":1");
        tabTo("Mode of " + READ);
        browser.press("ArrowDown", 40);
        browser.press("Tab", 9);
        browser.await("document.querySelector('#audit').textContent.includes('mode: – → shadow')");
        browser.await(
                "document.querySelector('.shadow summary').textContent.startsWith('Shadow mode would have shed')");
        assertThat(browser.complaints()).isEmpty();
    }

    @Tag("faults")
    @Test
    void page_onAPhone_fitsInBothColourSchemes() throws Exception {
        load("checkout", 1);
        load("a-caller-with-a-name-that-is-much-longer-than-any-phone-is-wide-in-whatever-hand-it-may-be-held", 1);
        open();
        browser.call(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", 360, "height", 740, "deviceScaleFactor", 2, "mobile", true));
        awaitCallers(2);
        assertThat(browser.value("document.documentElement.scrollWidth").asInt())
                .as("nothing sticks out at the side")
                .isLessThanOrEqualTo(360);
        assertThat(browser.value(
                                "Math.min(...[...document.querySelectorAll('select, input')].filter((each) => each.offsetParent)"
                                        + ".map((each) => each.getBoundingClientRect().height))")
                        .asDouble())
                .as("a finger finds it")
                .isGreaterThanOrEqualTo(36);
        assertThat(browser.value("[...document.querySelectorAll('.callers select')].every((each) => {"
                                + " const box = each.getBoundingClientRect();"
                                + " return box.width > 0 && box.left >= 0 && box.right <= 360; })")
                        .asBoolean())
                .isTrue();
        browser.screenshot(Path.of("target", "admin-page-phone.png"));

        String colours = "getComputedStyle(document.body).backgroundColor + getComputedStyle(document.body).color";
        String light = browser.value(colours).asText();
        browser.call(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", "dark"))));
        assertThat(browser.value(colours).asText()).isNotEqualTo(light);
        browser.screenshot(Path.of("target", "admin-page-dark.png"));
        assertThat(browser.complaints()).isEmpty();
    }

    @Tag("faults")
    @Test
    void page_withAuthentication_asksForATokenThatProvesTheAuthor() throws Exception {
        server.stop();
        Path callers = Files.writeString(
                folder.resolve("callers.yaml"),
                "callers: [{name: alice, role: operator, token: \"%s\"}]".formatted(Callers.hash("of-alice")));
        server = start(new Access(null, callers, false));
        open();
        browser.await("document.querySelector('#message')?.textContent.startsWith('Enter the token of an operator')");

        browser.value("document.body.focus()");
        tabTo("token");
        browser.type("of-alice");
        browser.press("Tab", 9);
        browser.await("document.querySelector('#rules-in-force').textContent.startsWith('There are no rules yet')");
        browser.await("document.querySelector('#message').textContent === ''");
        tabTo("mode");
        browser.press("ArrowDown", 40);
        browser.press("Enter", 13);
        browser.await("document.querySelector('#audit').textContent.includes('version 1, alice')");
    }

    @Tag("faults")
    @Test
    void page_nameNotGiven_asksForItAndChangesNothing() throws Exception {
        load("checkout", 1);
        open();
        awaitCallers(1);
        tabTo("Criticality of checkout at " + READ);
        browser.type("1");
        browser.press("Enter", 13);
        browser.await("document.querySelector('#message').textContent.startsWith('Say who you are first')");
        assertThat(rules()).contains("\"version\":0");
        assertThat(browser.value("document.activeElement.id").asText()).isEqualTo("author");
        // The rules in force are shown again.
        browser.await("document.querySelector('.callers select').value === ''");
    }
}
