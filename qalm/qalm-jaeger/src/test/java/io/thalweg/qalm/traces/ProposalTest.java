package io.thalweg.qalm.traces;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.thalweg.qalm.CallerPolicy;
import io.thalweg.qalm.Criticality;
import io.thalweg.qalm.registry.Rules;
import io.thalweg.qalm.yaml.RulesYaml;
import io.thalweg.testing.FakeClock;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProposalTest {
    private static byte[] bytes(String resource) throws IOException {
        try (InputStream in = Objects.requireNonNull(ProposalTest.class.getResourceAsStream(resource))) {
            return in.readAllBytes();
        }
    }

    private static Traces traces(String resource) throws IOException {
        Traces traces = new Traces();
        traces.add(resource, new ByteArrayInputStream(bytes(resource)));
        return traces;
    }

    private static List<String> lines(Proposal proposal) {
        return proposal.lines().stream()
                .map(line -> "%s|%s|%s|%d|%d|%s"
                        .formatted(
                                line.service(),
                                line.endpoint(),
                                line.caller(),
                                line.calls(),
                                line.criticality().level(),
                                line.why()))
                .toList();
    }

    @Test
    void of_jaegersJson_namesCallersByTheNearestOtherService() throws IOException {
        Proposal proposal = Proposal.of(traces("jaeger.json"), Set.of(), Rules.NONE);
        assertThat(proposal.traces()).isEqualTo(2);
        assertThat(lines(proposal))
                .containsExactly(
                        "cart|shop.Cart/Get|gateway|1|2|no sign of background traffic",
                        "cart|shop.Cart/Get|report-batch|1|3|its name marks background traffic",
                        "gateway|GET /|unknown|1|2|no sign of background traffic",
                        "prices|shop.Prices/Quote|cart|1|2|no sign of background traffic");
    }

    @Test
    void of_otlpJsonLines_readsKindsAttributesAndTagsOfTheCaller() throws IOException {
        assertThat(lines(Proposal.of(traces("otlp.json"), Set.of("cart"), Rules.NONE)))
                .containsExactly(
                        "cart|GET /cart/{id}|gateway|1|3|deployment.environment.name=staging marks background traffic",
                        "cart|GET /cart/{id}|unknown|1|2|no sign of background traffic");
    }

    @Test
    void of_sameTraceTwice_isCountedOnce() throws IOException {
        Traces traces = traces("jaeger.json");
        traces.add("again", new ByteArrayInputStream(bytes("jaeger.json")));
        assertThat(lines(Proposal.of(traces, Set.of("prices"), Rules.NONE)))
                .containsExactly("prices|shop.Prices/Quote|cart|1|2|no sign of background traffic");
    }

    @Test
    void of_whatTheRulesSay_staysAndIsNotRepeated() throws IOException {
        Rules rules = RulesYaml.parse("r", "endpoints: {shop.Cart/Get: {callers: {report-batch: 1}}}");
        Proposal proposal = Proposal.of(traces("jaeger.json"), Set.of("cart"), rules);
        assertThat(lines(proposal))
                .containsExactly(
                        "cart|shop.Cart/Get|gateway|1|2|no sign of background traffic",
                        "cart|shop.Cart/Get|report-batch|1|1|from the rules");
        Map<String, CallerPolicy> callers = Objects.requireNonNull(
                        proposal.applied(rules).endpoints().get("shop.Cart/Get"))
                .callers();
        assertThat(callers)
                .containsEntry("report-batch", new CallerPolicy(Criticality.CORE))
                .containsEntry("gateway", new CallerPolicy(Criticality.FEATURE));
    }

    @Test
    void of_callsOnBehalfOfCriticalOnes_areHintedAtButNotMadeCritical() throws IOException {
        Rules rules = RulesYaml.parse("r", "endpoints: {GET /: {criticality: 1}}");
        Proposal proposal = Proposal.of(traces("jaeger.json"), Set.of("cart", "prices"), rules);
        Proposal.Line gateway = proposal.lines().get(0);
        assertThat(gateway.caller()).isEqualTo("gateway");
        assertThat(gateway.criticality()).isEqualTo(Criticality.FEATURE);
        assertThat(Proposal.hint(gateway))
                .isEqualTo("perhaps 1: 100 % of its calls are on behalf of calls of level 0 or 1");
        assertThat(Proposal.hint(proposal.lines().get(1))).as("the batch job's").isNull();
        assertThat(proposal.lines().get(2).perhapsCore()).as("two calls below").isTrue();
    }

    @Test
    void document_namesFromStrangers_readsBackAsWhatWasProposed() throws IOException {
        Traces traces = new Traces();
        traces.add(server("t", "1", null, "cart", "GET /a: \"b\"\nmode: off # x"));
        traces.add(server("t", "2", "1", "*{[&", "y"));
        traces.add(server("t", "3", "2", "cart", "GET /a: \"b\"\nmode: off # x"));
        Proposal proposal = Proposal.of(traces, Set.of("cart"), Rules.NONE);
        assertThat(RulesYaml.parse("d", proposal.document(Rules.NONE))).isEqualTo(proposal.applied(Rules.NONE));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"spanz\":[]}", "7", "{\"data\":[{\"x\":1}]}"})
    void add_noTraces_saysWhatIsExpected(String document) {
        assertThatThrownBy(() ->
                        new Traces().add("d.json", new ByteArrayInputStream(document.getBytes(StandardCharsets.UTF_8))))
                .isInstanceOf(TraceException.class)
                .hasMessageStartingWith("d.json: has no traces: must be Jaeger's");
    }

    @Test
    void add_halfADocument_saysWhere() throws IOException {
        byte[] whole = bytes("jaeger.json");
        assertThatThrownBy(() -> new Traces().add("d.json", new ByteArrayInputStream(whole, 0, whole.length / 2)))
                .isInstanceOf(TraceException.class)
                .hasMessageMatching("d[.]json: is not JSON at line \\d+, column \\d+; .*");
    }

    private static Span server(String trace, String id, @Nullable String parent, String service, String name) {
        return new Span(trace, id, parent, service, name, "server", Map.of());
    }

    /** Compared with a naive walk up from each span over the plain list of spans. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void of_randomTrees_equalsThePlainRecount(long seed) {
        Random random = new Random(seed);
        List<Span> spans = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            String trace = "t" + random.nextInt(4);
            List<Span> above =
                    spans.stream().filter(span -> span.traceId().equals(trace)).toList();
            boolean root = above.isEmpty() || random.nextInt(8) == 0;
            String parent =
                    root ? null : above.get(random.nextInt(above.size())).spanId();
            String kind = random.nextBoolean() ? "server" : random.nextBoolean() ? "client" : "";
            spans.add(new Span(
                    trace, "s" + i, parent, "service" + random.nextInt(3), "m" + random.nextInt(2), kind, Map.of()));
        }
        Map<String, Long> expected = new HashMap<>();
        for (Span span : spans) {
            if (span.isServer()) {
                Span at = span;
                while (at != null && at.service().equals(span.service())) {
                    String parent = at.parentId();
                    at = spans.stream()
                            .filter(other -> other.spanId().equals(parent))
                            .findFirst()
                            .orElse(null);
                }
                String caller = at == null ? "unknown" : at.service();
                expected.merge(span.service() + " " + span.endpoint() + " " + caller, 1L, Long::sum);
            }
        }
        Collections.shuffle(spans, random);
        Traces traces = new Traces();
        spans.forEach(traces::add);
        Map<String, Long> counted = new HashMap<>();
        Proposal.of(traces, Set.of(), Rules.NONE)
                .lines()
                .forEach(line ->
                        counted.put(line.service() + " " + line.endpoint() + " " + line.caller(), line.calls()));
        assertThat(counted).isEqualTo(expected);
    }

    @Test
    void caller_bothSidesShareAnId_isFound() {
        Traces traces = new Traces();
        traces.add(new Span("t", "1", null, "web", "get", "client", Map.of()));
        traces.add(server("t", "1", null, "cart", "get"));
        traces.add(server("t", "2", "1", "prices", "quote"));
        assertThat(lines(Proposal.of(traces, Set.of(), Rules.NONE)))
                .containsExactly(
                        "cart|get|web|1|2|no sign of background traffic",
                        "prices|quote|cart|1|2|no sign of background traffic");
    }

    @Test
    void caller_spansThatAreEachOthersParents_ends() {
        Traces traces = new Traces();
        traces.add(server("t", "1", "2", "cart", "get"));
        traces.add(server("t", "2", "1", "cart", "get"));
        assertThat(lines(Proposal.of(traces, Set.of(), Rules.NONE)))
                .containsExactly("cart|get|unknown|2|2|no sign of background traffic");
    }

    /** A server that answers as Jaeger's query service does. */
    private static final class QueryService implements AutoCloseable {
        final List<String> asked = Collections.synchronizedList(new ArrayList<>());
        private final HttpServer server;

        QueryService() throws IOException {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/jaeger/api/services", exchange -> answer(exchange, 200, "{\"data\":[\"cart\"]}"));
            server.createContext(
                    "/jaeger/api/operations",
                    exchange -> answer(
                            exchange, 200, "{\"data\":[{\"name\":\"/shop.Cart/Get\",\"spanKind\":\"server\"}]}"));
            server.createContext(
                    "/jaeger/api/traces",
                    exchange -> answer(exchange, 200, new String(bytes("jaeger.json"), StandardCharsets.UTF_8)));
            server.createContext(
                    "/broken",
                    exchange -> answer(
                            exchange, 400, "{\"data\":null,\"errors\":[{\"code\":400,\"msg\":\"no such service\"}]}"));
            server.start();
        }

        private void answer(HttpExchange exchange, int status, String body) throws IOException {
            asked.add(exchange.getRequestURI().toString());
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        }

        JaegerClient client(String path) {
            URI address = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
            return new JaegerClient(address, new FakeClock(Instant.ofEpochSecond(1_000_000)));
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }

    @Test
    void collect_overTheQueryApi_asksForTheTimesInMicroseconds() throws IOException {
        try (QueryService service = new QueryService()) {
            JaegerClient client = service.client("/jaeger/");
            assertThat(client.services()).containsExactly("cart");
            assertThat(client.operations("cart")).containsExactly("/shop.Cart/Get");
            Traces traces = new Traces();
            client.collect("cart", "/shop.Cart/Get", Duration.ofMinutes(10), 20, traces);
            assertThat(traces.count()).isEqualTo(2);
            assertThat(service.asked)
                    .containsExactly(
                            "/jaeger/api/services",
                            "/jaeger/api/operations?service=cart&spanKind=server",
                            "/jaeger/api/traces?service=cart&operation=%2Fshop.Cart%2FGet&start=999400000000"
                                    + "&end=1000000000000&limit=20");
        }
    }

    @Test
    void services_refused_saysWithWhichWords() throws IOException {
        try (QueryService service = new QueryService()) {
            assertThatThrownBy(() -> service.client("/broken").services())
                    .isInstanceOf(TraceException.class)
                    .hasMessageEndingWith("/broken/api/services: HTTP status 400: no such service");
        }
    }

    @Test
    void services_nobodyThere_saysSo() {
        JaegerClient client = new JaegerClient(URI.create("http://127.0.0.1:1"), new FakeClock(Instant.EPOCH));
        assertThatThrownBy(client::services)
                .isInstanceOf(TraceException.class)
                .hasMessageStartingWith("cannot reach http://127.0.0.1:1");
    }
}
