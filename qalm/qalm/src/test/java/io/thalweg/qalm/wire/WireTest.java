package io.thalweg.qalm.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.qalm.Call;
import io.thalweg.qalm.Criticality;
import io.thalweg.qalm.Refusal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import javax.net.ssl.SSLSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WireTest {
    private static CallHeaders read(String... namesAndValues) {
        Map<String, String> headers = new HashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            headers.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return CallHeaders.read(headers::get, 42);
    }

    @Test
    void read_nothing_isAnUnknownCallerWithoutWishes() {
        assertThat(read()).isEqualTo(new CallHeaders("unknown", null, Call.NO_DEADLINE, 42, 1));
    }

    @Test
    void read_everything_takesOursBeforeOthers() {
        CallHeaders headers = read(
                "x-qos-caller",
                "checkout",
                "user-agent",
                "curl/8",
                "baggage",
                "a=b, service=other;p, criticality = 3",
                "x-qos-criticality",
                "1",
                "grpc-timeout",
                "250m",
                "grpc-previous-rpc-attempts",
                "2",
                "traceparent",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
        assertThat(headers)
                .isEqualTo(new CallHeaders(
                        "checkout", Criticality.CORE, 250_000_000, "4bf92f3577b34da6a3ce929d0e0e4736".hashCode(), 3));
    }

    @Test
    void read_baggageOnly_isUnderstood() {
        CallHeaders headers = read("baggage", "userId=7,service=search,criticality=sheddable");
        assertThat(headers.caller()).isEqualTo("search");
        assertThat(headers.asked()).isEqualTo(Criticality.BACKGROUND);
    }

    @ParameterizedTest
    @CsvSource({"u=7,3", "'i, u=7',3", "u=1,", "u=77,"})
    void read_priority_onlyBackgroundMeansAnything(String priority, Integer level) {
        Criticality asked = read("priority", priority).asked();
        assertThat(asked == null ? null : (Integer) asked.level()).isEqualTo(level);
    }

    @ParameterizedTest
    @CsvSource({"1H,3600000", "2M,120000", "3S,3000", "4m,4", "5000u,5", "6000000n,6"})
    void read_grpcTimeout_inAllUnits(String text, long millis) {
        assertThat(read("grpc-timeout", text).timeoutNanos())
                .isEqualTo(Duration.ofMillis(millis).toNanos());
    }

    @ParameterizedTest
    @CsvSource({
        "grpc-timeout,123456789S",
        "grpc-timeout,m",
        "grpc-timeout,-1S",
        "x-envoy-expected-rq-timeout-ms,soon",
        "x-envoy-expected-rq-timeout-ms,0",
        "x-envoy-expected-rq-timeout-ms,99999999999999999999"
    })
    void read_malformedTimeout_isNone(String header, String text) {
        assertThat(read(header, text).timeoutNanos()).isEqualTo(Call.NO_DEADLINE);
    }

    @Test
    void read_hugeName_isCut() {
        assertThat(read("x-qos-caller", "x".repeat(100_000)).caller()).hasSize(100);
    }

    @Test
    void answer_shedOrNeverDrop_saysWhetherToComeBack() {
        SplittableRandom random = new SplittableRandom(1);
        RefusalAnswer shed = RefusalAnswer.of(Refusal.GATE, Criticality.BACKGROUND, random);
        assertThat(shed.grpcCode()).isEqualTo(8);
        assertThat(shed.pushbackMs()).isNegative();
        assertThat(shed.problemJson())
                .isEqualTo("{\"title\":\"overloaded: call of level 3 refused (gate)\",\"status\":503}");
        RefusalAnswer critical = RefusalAnswer.of(Refusal.CRITICAL_OVERFLOW, Criticality.CORE, random);
        assertThat(critical.grpcCode()).isEqualTo(14);
        assertThat(critical.pushbackMs()).isBetween(50, 500);
        assertThat(RefusalAnswer.of(Refusal.EXPIRED, Criticality.CORE, random).httpStatus())
                .isEqualTo(504);
    }

    @Test
    void throttle_everythingRefused_keepsMostBackButNeverCriticalOnes() {
        long[] now = {0};
        ClientThrottle throttle = new ClientThrottle(() -> now[0], new SplittableRandom(1));
        int sent = 0;
        for (int i = 0; i < 10_000; i++) {
            now[0] += 1_000_000;
            if (throttle.send(Criticality.BACKGROUND)) {
                sent++;
                throttle.answered(Criticality.BACKGROUND, false, null);
            }
            assertThat(throttle.send(Criticality.CORE)).isTrue();
        }
        assertThat(sent).isBetween(100, 700);
        int afterwards = 0;
        for (int i = 0; i < 20_000; i++) {
            now[0] += 1_000_000;
            if (throttle.send(Criticality.BACKGROUND)) {
                afterwards += i >= 10_000 ? 1 : 0;
                throttle.answered(Criticality.BACKGROUND, true, null);
            }
        }
        assertThat(afterwards).as("open again, of 10,000").isGreaterThan(9_900);
    }

    @Test
    void throttle_manyCallsBeforeTheFirstAnswer_areAllSent() {
        ClientThrottle throttle = new ClientThrottle(() -> 0, new SplittableRandom(1));
        for (int i = 0; i < 1_000; i++) {
            assertThat(throttle.send(Criticality.FEATURE)).isTrue();
        }
        for (int i = 0; i < 1_000; i++) {
            throttle.answered(Criticality.FEATURE, true, null);
            assertThat(throttle.send(Criticality.FEATURE)).isTrue();
        }
    }

    @Test
    void throttle_thresholdInAnswers_dooms_aLevelForASecond() {
        long[] now = {0};
        ClientThrottle throttle = new ClientThrottle(() -> now[0], new SplittableRandom(1));
        throttle.answered(Criticality.CORE, true, "300");
        assertThat(throttle.send(Criticality.BACKGROUND)).isFalse();
        assertThat(throttle.send(Criticality.FEATURE)).isTrue();
        now[0] += 1_000_000_001;
        assertThat(throttle.send(Criticality.FEATURE)).isTrue();
    }

    @Test
    void unmanaged_probes_haveNoLane() {
        assertThat(Endpoints.unmanaged("grpc.health.v1.Health/Check")).isTrue();
        assertThat(Endpoints.unmanaged("GET /metrics")).isTrue();
        assertThat(Endpoints.unmanaged("GET /metrics/of/mine")).isFalse();
        assertThat(Endpoints.unmanaged("thalweg.v1.ServingService/ReadFeatures"))
                .isFalse();
    }

    @Test
    void identity_certificate_isTheSpiffeIdOrTheCommonName(@TempDir Path folder) throws Exception {
        assertThat(PeerIdentity.of(certificate(folder, "a", "-ext", "san=dns:host,uri:spiffe://prod/checkout")))
                .isEqualTo("spiffe://prod/checkout");
        assertThat(PeerIdentity.of(certificate(folder, "b"))).isEqualTo("search");
        assertThat(PeerIdentity.of((SSLSession) null)).isNull();
    }

    private static X509Certificate certificate(Path folder, String name, String... more) throws Exception {
        Path store = folder.resolve(name);
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-dname",
                "CN=search, O=x",
                "-alias",
                "key",
                "-storepass",
                "secret",
                "-keystore",
                store.toString()));
        command.addAll(List.of(more));
        assertThat(new ProcessBuilder(command).start().waitFor()).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (var in = Files.newInputStream(store)) {
            keys.load(in, "secret".toCharArray());
        }
        return (X509Certificate) keys.getCertificate("key");
    }
}
