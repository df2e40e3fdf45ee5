package io.thalweg.server.console;

import static io.thalweg.server.ServerFixture.CELL;
import static io.thalweg.server.ServerFixture.DEMAND;
import static io.thalweg.server.ServerFixture.PRODUCT;
import static io.thalweg.server.ServerFixture.T;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.thalweg.model.deployment.Access;
import io.thalweg.model.row.Progress;
import io.thalweg.model.view.FeatureView;
import io.thalweg.qalm.Mode;
import io.thalweg.server.FeatureServer;
import io.thalweg.server.MetricsServer;
import io.thalweg.server.ServerConfig;
import io.thalweg.server.ServerFixture;
import io.thalweg.server.telemetry.Metrics;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.RocksDbOnlineStore;
import io.thalweg.testing.Browser;
import io.thalweg.testing.FakeClock;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The pages of views and jobs in a real browser. */
class ConsolePageIT {
    private static final String STRANGE = "<img src=x onerror=document.title=1>";
    private static final String LONG = "a-name-that-is-much-longer-than-any-phone-is-wide-".repeat(4);
    private static final Set<String> NAMED =
            Set.of("link", "button", "region", "table", "image", "heading", "columnheader", "rowheader");

    /** Returns the texts whose luminance contrast with their background is below 4.5. */
    private static final String PALE = """
            (() => {
              const parse = (colour) => colour.match(/[\\d.]+/g).map(Number);
              const linear = (part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
              const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
              const behind = (node) => {
                for (let at = node; at; at = at.parentElement) {
                  const [r, g, b, alpha = 1] = parse(getComputedStyle(at).backgroundColor);
                  if (alpha > 0) {
                    return [r, g, b];
                  }
                }
                return [255, 255, 255];
              };
              return [...document.querySelectorAll('body *')]
                .filter((node) => node.offsetParent
                  && [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim()))
                .filter((node) => {
                  const [one, other] = [luminance(parse(getComputedStyle(node).color)), luminance(behind(node))].sort((a, b) => b - a);
                  return (one + 0.05) / (other + 0.05) < 4.5;
                }).map((node) => node.outerHTML.slice(0, 120));
            })()""";

    /** Chromium keeps writing for a moment after it is asked to exit. */
    @TempDir(cleanup = CleanupMode.NEVER)
    Path folder;

    private final FakeClock clock = new FakeClock(Instant.ofEpochMilli(T + 1_000));
    private final FakeJob job = new FakeJob();
    private final Metrics metrics = new Metrics();
    private final FakeLetters letters = new FakeLetters(
            view -> "%s: %s%n%njob%n  route  %s%n".formatted(view.qualifiedName(), view.description(), LONG));
    private final AtomicLong explained = new AtomicLong(30);
    private OnlineStore store;
    private @Nullable FeatureServer server;
    private Browser browser;

    @BeforeEach
    void start() throws Exception {
        Optional<Path> chromium = Browser.installed();
        assumeTrue(chromium.isPresent(), "the pages are not tested: no Chromium here (apt-get install chromium)");
        store = RocksDbOnlineStore.open(folder.resolve("store"), clock);
        browser = Browser.start(chromium.get(), folder.resolve("profile"));
        size(1440, 900, false);
    }

    private void serve(FeatureView... views) {
        server = FeatureServer.start(
                ServerConfig.loopback(0)
                        .withAdminPort(0)
                        .withQalm(new ServerConfig.Qalm(Mode.SHADOW, null, folder.resolve("state"))),
                List.of(views),
                store,
                null,
                clock,
                job,
                metrics,
                letters);
    }

    @AfterEach
    void stop() throws Exception {
        if (browser != null) {
            browser.end();
        }
        if (server != null) {
            server.stop();
        }
        if (store != null) {
            store.close();
        }
    }

    /** Registers the counts of a job for a view: 1,000 events, 30 of them bad. */
    private void count(String view) {
        Map.of("accepted", 900, "skipped", 70, "bad", 30, "late", 0)
                .forEach((outcome, events) -> metrics.counter(
                        "thalweg_events_total",
                        "Events.",
                        Metrics.labels("view", view, "outcome", outcome),
                        () -> events));
        metrics.counter(
                "thalweg_bad_events_total",
                "Bad events.",
                Metrics.labels("view", view, "reason", "missing_field"),
                explained::get);
        metrics.counter("thalweg_rows_total", "Rows.", Metrics.labels("view", view), () -> 12_345);
        metrics.gauge(
                "thalweg_newest_event_timestamp_seconds", "Newest.", Metrics.labels("view", view), () -> T / 1e3 + 40);
        metrics.gauge("thalweg_lag_records", "Lag.", Metrics.labels("view", view), () -> 4_321);
        metrics.gauge("thalweg_watermark_timestamp_seconds", "Reached.", Metrics.labels("view", view), () -> T / 1e3);
        DoubleConsumer freshness = metrics.histogram(
                "thalweg_freshness_seconds", "Freshness.", Metrics.labels("view", view), 0.1, 0.5, 1, 5);
        for (double seconds : new double[] {0.05, 0.2, 0.3, 0.7, 9}) {
            freshness.accept(seconds);
        }
    }

    private void write(FeatureView view) {
        store.write(view, List.of(ServerFixture.block(view, T, CELL, new long[] {7, 8, 9, 10})));
        store.writeProgress(new Progress(view.qualifiedName(), 0, 1, T));
    }

    private void size(int width, int height, boolean mobile) throws Exception {
        browser.call(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", mobile ? 2 : 1, "mobile", mobile));
    }

    private void scheme(String scheme) throws Exception {
        browser.call(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    private void open(String hash) throws Exception {
        browser.open(
                "http://127.0.0.1:" + Objects.requireNonNull(server).adminPort().orElseThrow() + "/" + hash);
    }

    private void awaitText(String selector, String text) throws Exception {
        browser.await("document.querySelector('%s')?.textContent.includes('%s')".formatted(selector, text));
    }

    private void tabTo(String text) throws Exception {
        for (int i = 0; i < 30; i++) {
            browser.press("Tab", 9);
            if (browser.value("document.activeElement.textContent").asText().equals(text)) {
                return;
            }
        }
        throw new AssertionError("the keyboard does not reach " + text);
    }

    /** Follows a link; the browser needs Enter as a character, not only as a key. */
    private void follow(String link) throws Exception {
        tabTo(link);
        enter();
    }

    private void enter() throws Exception {
        browser.call(
                "Input.dispatchKeyEvent",
                Map.of("type", "keyDown", "key", "Enter", "code", "Enter", "text", "\r", "windowsVirtualKeyCode", 13));
        browser.call("Input.dispatchKeyEvent", Map.of("type", "keyUp", "key", "Enter", "windowsVirtualKeyCode", 13));
    }

    /** Checks a page in both widths and both colour schemes: nothing overflows, and everything is readable and has a name. */
    private void look(String page) throws Exception {
        for (String scheme : List.of("dark", "light")) {
            scheme(scheme);
            for (int width : new int[] {390, 1440}) {
                fit(width);
                browser.screenshot(Path.of("target", "console-%s-%d-%s.png".formatted(page, width, scheme)));
                assertThat(browser.value(PALE))
                        .as("%s %d %s", page, width, scheme)
                        .isEmpty();
            }
        }
        for (JsonNode node :
                browser.call("Accessibility.getFullAXTree", Map.of()).path("nodes")) {
            String role = node.path("role").path("value").asText();
            if (!node.path("ignored").asBoolean() && NAMED.contains(role)) {
                assertThat(node.path("name").path("value").asText())
                        .as("%s: %s", page, node)
                        .isNotBlank();
            }
        }
        assertQuiet();
    }

    private void fit(int width) throws Exception {
        size(width, width == 390 ? 844 : 900, width == 390);
        browser.await("document.documentElement.scrollWidth <= " + width);
    }

    /** Requires that no part of a name becomes an element, and that nothing overflows. */
    private void requireText() throws Exception {
        fit(390);
        fit(1440);
        assertThat(browser.value("document.images.length").asInt()).isZero();
        assertQuiet();
    }

    /** Requires that the browser complains about nothing but requests that the server refuses. */
    private void assertQuiet() {
        assertThat(browser.complaints())
                .filteredOn(complaint -> !complaint.contains("the server responded with a status of"))
                .isEmpty();
    }

    @Tag("test")
    @Test
    void pages_byKeyboardAlone_areReachedAndLoadedWhenShown() throws Exception {
        write(DEMAND);
        count("demand");
        serve(DEMAND);
        open("#/load");
        awaitText("#rules-in-force", "There are no rules yet");
        String loaded = "performance.getEntriesByType('resource').map((each) => new URL(each.name).pathname).join(' ')";
        assertThat(browser.value(loaded).asText()).contains("/load.js").doesNotContain("/jobs.js", "/views.js");
        browser.value("document.body.focus()");

        follow("Views");
        awaitText("#views tbody", "demand");
        assertThat(browser.value("document.title").asText()).isEqualTo("Views · Thalweg");
        assertThat(browser.value(loaded).asText()).contains("/views.js").doesNotContain("/jobs.js");
        follow("demand");
        awaitText("#views .sum", "The counts add up");
        assertThat(browser.value("location.hash").asText()).isEqualTo("#/views/demand");
        assertThat(browser.value("document.activeElement.tagName").asText()).isEqualTo("H1");
        awaitText("#views .verdict", "Current Reads get values up to");
        awaitText("#views figcaption", "half ≤ 500 ms, 99 % > 5 s, of 5 window ends");
        awaitText("#views section[aria-label^=Time]", "4,321");
        awaitText("#views section[aria-label^=Where]", "1 tile, 1 group");
        look("view");

        explained.set(12);
        awaitText("#views .sum.overloaded", "do not add up: 30 events are bad or late, and 12 have a reason");
        browser.value("document.body.focus()");
        follow("Jobs");
        awaitText("#jobs .job .verdict.good", "Healthy");
        awaitText("#jobs tbody", "accumulate demand → store demand");
        awaitText("#jobs .figures", "3.2 MB");
        follow("demand");
        browser.await("location.hash === '#/views/demand' && !document.querySelector('#views').hidden");
        assertThat(browser.complaints()).isEmpty();
    }

    @Tag("faults")
    @Test
    void jobs_heldUpRestartedOrAway_saysSoInWordsAndGoesOn() throws Exception {
        job.busy = 0.97;
        for (String name : List.of("thalweg_events_total", "thalweg_rows_total")) { // 1,000 a second
            metrics.counter(name, "", Metrics.labels("view", "demand"), () -> System.nanoTime() / 1_000_000);
        }
        serve(DEMAND);
        open("#/jobs");
        awaitText("#jobs .job .verdict.bad", "Something holds it up");
        awaitText("#jobs .job .verdict.bad", "one of the 2 subtasks of");
        awaitText("#jobs .findings", "a view of its own for it");
        awaitText("#jobs tr.culprit", "holds up the job");
        awaitText("#jobs .graph .culprit", "accumulate demand → store demand");
        assertThat(browser.value("document.querySelector('#jobs .graph').getAttribute('aria-label')")
                        .asText())
                .isEqualTo("Graph of the job: accumulate demand → store demand receives from events → route");
        awaitText("#jobs .figures", "State, estimated");
        // 48 bytes for each event a second, of which there are about 1,000.
        browser.await(
                "/^4[5-9][0-9.]* kB$|^5[01][0-9.]* kB$/.test(document.querySelector('#jobs .cards td:last-child')?.textContent)");
        look("jobs");

        job.answers = false;
        awaitText("#message", "Not read: the job does not answer");
        job.answers = true;
        browser.await("document.querySelector('#message').textContent === ''");
        job.trouble = "3 restarts within 5 minutes: " + STRANGE;
        job.restarts = 3;
        awaitText("#jobs", "the job restarted 3 times");
        awaitText("#jobs > .verdict", "3 restarts within 5 minutes");
        job.trouble = null;
        job.runs = false;
        awaitText("#jobs > p:last-child:not([hidden])", "No job runs in this process");
        assertQuiet();
    }

    @Tag("faults")
    @Test
    void jobs_onThePortOfAnIngest_areTheOnlyPageAndHaveTheAccount() throws Exception {
        Map.of("kept", 900L, "filtered", 70L, "bad", 30L, "written", 890L)
                .forEach((outcome, events) -> metrics.counter(
                        "thalweg_ingest_events_total",
                        "Messages.",
                        Metrics.labels("ingest", STRANGE, "outcome", outcome),
                        () -> events));
        job.filtered = STRANGE;
        try (MetricsServer alone = MetricsServer.start("127.0.0.1", 0, Access.OPEN, job, metrics)) {
            browser.open("http://127.0.0.1:" + alone.port() + "/");
            awaitText("#jobs .job .verdict.good", "Healthy");
            awaitText("#jobs .stages tbody", STRANGE + ": 90/s kept, 10/s filtered");
            assertThat(browser.value(
                                    "[...document.querySelectorAll('nav a')].filter((tab) => tab.checkVisibility()).map((tab) => tab.textContent).join()")
                            .asText())
                    .isEqualTo("Jobs");
            awaitText("#jobs table[aria-label=Ingests] th[scope=row]", STRANGE);
            assertThat(browser.value(
                                    "[...document.querySelectorAll('#jobs table[aria-label=Ingests] td')].map((cell) => cell.textContent).slice(1, 6).join()")
                            .asText())
                    .isEqualTo("1,000,70,30,900,890");
            look("ingest");
        }
    }

    @Tag("faults")
    @Test
    void letters_hostile_areShownHarmlesslyAndJudgedAgain() throws Exception {
        count("demand");
        serve(DEMAND);
        open("#/letters");
        awaitText("#letters [role=status]", "The newest 3 of the topic " + DEMAND.deadLetterTopic());
        awaitText("#letters [role=status]", "12 since the job started".replace("12", String.valueOf(explained.get())));
        look("letters");
        String hostile = "#letters details:nth-of-type(2)";
        browser.value("document.querySelector('%s summary').click()".formatted(hostile));
        awaitText(hostile + " pre", "<img src=x onerror=alert(1)>\\\\u{202e}gnp\\\\u{200b}");
        assertThat(browser.value("document.querySelectorAll('#letters img').length")
                        .asInt())
                .isZero();
        awaitText(hostile, "rider-events, partition 2, offset 1005");
        browser.value("document.querySelector('%s button').click()".formatted(hostile));
        awaitText(hostile + " pre", "000000  7b 22 72 69 64 65 72 22");
        browser.value("document.querySelector('%s button:last-of-type').click()".formatted(hostile));
        awaitText(hostile + " .verdict.bad", "the view would find it bad now: undecodable");

        String binary = "#letters details:nth-of-type(3)";
        browser.value("document.querySelector('%s summary').click()".formatted(binary));
        awaitText(binary + " pre", "000000  00 ff 10 00");
        awaitText(binary, "of which the first are shown");
        browser.value(
                "(() => { const reasons = document.querySelectorAll('#letters select')[1]; reasons.value = 'late';"
                        + " reasons.dispatchEvent(new Event('change', {bubbles: true})); })()");
        awaitText("#letters [role=status]", "The newest 1 of the topic");
        assertThat(browser.value("location.hash").asText()).isEqualTo("#/letters?view=demand&reason=late");
        browser.value("document.querySelector('#letters summary').click()");
        browser.value("document.querySelector('#letters button:last-of-type').click()");
        awaitText("#letters .verdict.good", "the view would find it accepted now");
        assertThat(browser.complaints()).isEmpty();
    }

    @Tag("test")
    @Test
    void keys_typedKey_showsWhatTheStoreHasAndTheCommands() throws Exception {
        write(DEMAND);
        serve(DEMAND);
        open("#/keys");
        awaitText("#keys-page .fields", "product");
        browser.value("document.querySelector('#keys-page select').focus()");
        browser.press("Tab", 9);
        browser.type(Long.toHexString(CELL));
        // Keys that have a row are offered, and found by how they begin.
        awaitText("#keys-page .examples", "%x · %s".formatted(CELL, PRODUCT));
        browser.value("(() => { const prefix = document.querySelector('#keys-page section input'); prefix.value = 'zz';"
                + " prefix.dispatchEvent(new Event('input')); })()");
        awaitText("#keys-page section [role=status]", "None of the keys that were looked at begins with this.");
        browser.press("Tab", 9);
        browser.type("nonsense");
        enter();
        awaitText("#keys-page [role=alert]", "product");
        browser.value("document.querySelector('#keys-page [name=product]').value = ''");
        browser.type(PRODUCT);
        enter();
        awaitText("#keys-page .figures", "PRESENT");
        awaitText("#keys-page tbody tr", "k0_1m7");
        assertThat(browser.value("location.hash").asText())
                .isEqualTo("#/keys?view=demand&e.cell=%x&e.product=%s".formatted(CELL, PRODUCT));
        browser.value("document.querySelector('#keys-page .buttons button').click()");
        awaitText("#keys-page pre", "./thalweg get demand -e cell=%x -e product=%s --server".formatted(CELL, PRODUCT));
        look("keys");
    }

    @Tag("faults")
    @Test
    void pages_strangeNames_areShownAsTextAndFit() throws Exception {
        FeatureView strange = named(STRANGE, LONG);
        FeatureView longer = named(LONG.substring(1), STRANGE);
        write(strange);
        count(strange.name());
        job.name = STRANGE + LONG;
        job.stage = STRANGE + LONG;
        serve(strange, longer);
        open("#/views");
        browser.await("document.querySelectorAll('#views tbody tr').length === 2");
        awaitText("#views tbody", "no window end has been written yet");
        requireText();
        open("#/views/" + URLEncoder.encode(STRANGE, StandardCharsets.UTF_8).replace("+", "%20"));
        awaitText("#views h1", STRANGE);
        awaitText("#views pre", STRANGE);
        requireText();
        open("#/jobs");
        awaitText("#jobs h2", STRANGE);
        awaitText("#jobs .job .verdict.good", "Healthy");
        requireText();
        open("#/letters");
        awaitText("#letters > .card", "has no dead letter of");
        assertThat(browser.value("document.querySelectorAll('#letters select')[1].selectedOptions[0].textContent")
                        .asText())
                .isEqualTo("any");
        requireText();
        open("#/views/nothing");
        awaitText("#views", "is not served");
        assertThat(browser.value("document.title").asText()).isEqualTo("Views · Thalweg");
    }

    private static FeatureView named(String name, String description) {
        return new FeatureView(
                name, 1, description, DEMAND.entities(), DEMAND.computation(), DEMAND.sink(), DEMAND.online());
    }
}
