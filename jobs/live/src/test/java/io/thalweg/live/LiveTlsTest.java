package io.thalweg.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.thalweg.api.v1.LiveKey;
import io.thalweg.api.v1.LiveRow;
import io.thalweg.api.v1.LiveStatus;
import io.thalweg.model.Definitions;
import io.thalweg.model.row.Shard;
import io.thalweg.testing.Await;
import io.thalweg.testing.TestCertificate;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A port that demands a certificate, and various clients. */
@SuppressWarnings("NullAway.Init")
class LiveTlsTest {
    private static final LiveView VIEW =
            new LiveView(Definitions.parse("""
                    apiVersion: thalweg/v1
                    kind: FeatureView
                    name: per_campaign
                    source: {topic: events}
                    entities: [{name: campaign, field: campaign_id, type: int64}]
                    measures: [{name: views, count: all}]
                    windows: {sizes: [10s], every: 10s}
                    """, "per_campaign.yaml").views().get(0));
    private static final String JOB = "live-tls-test";
    private static final List<LiveKey> KEYS = List.of(LiveKey.newBuilder()
            .setShard(7)
            .setKey(ByteString.copyFromUtf8("k"))
            .build());

    @TempDir
    static Path folder;

    private static TestCertificate job;
    private static TestCertificate reader;
    private static TestCertificate stranger;
    private static Path ca;
    private @Nullable LiveTask task;

    @BeforeAll
    static void makeCertificates() throws Exception {
        // Self-signed certificates: the processes trust both, as they would trust certificates of one authority.
        job = TestCertificate.create(folder, "job");
        reader = TestCertificate.create(folder, "reader", "-ext", "san=dns:elsewhere.example");
        stranger = TestCertificate.create(folder, "stranger");
        ca = folder.resolve("ca.pem");
        Files.writeString(ca, Files.readString(job.certificate()) + Files.readString(reader.certificate()));
    }

    @AfterEach
    void close() {
        if (task != null) {
            task.close();
        }
    }

    @Test
    void read_bothProveWhoTheyAre_isAnsweredWhateverTheirHosts() throws Exception {
        listen(tls(reader)); // whose certificate is for another host
        assertThat(read(tls(job)).get(0).getCount()).isEqualTo(42);
    }

    @Test
    void read_callerWithoutAnAcceptedCertificate_isRefused() throws Exception {
        listen(tls(job));
        refused(LiveTls.ofFiles(stranger.certificate(), stranger.key(), ca));
    }

    @Test
    void read_processWithoutAnAcceptedCertificate_isNotAsked() throws Exception {
        listen(LiveTls.ofFiles(stranger.certificate(), stranger.key(), ca));
        refused(tls(reader));
    }

    @Test
    void read_onlyOneSideEncrypts_namesTheKey() throws Exception {
        listen(tls(job));
        assertThatThrownBy(() -> read(null))
                .isInstanceOf(LiveUnavailableException.class)
                .hasMessageContaining("set flink.tls in thalweg.yaml");
        close();
        listen(null);
        assertThatThrownBy(() -> read(tls(reader)))
                .isInstanceOf(LiveUnavailableException.class)
                .hasMessageContaining("set security.ssl.internal.enabled for the cluster, or remove flink.tls");
    }

    /** A caller that ignores the route's TLS flag. */
    @Test
    void read_withoutEncryptionWhereItIsDemanded_isRefused() throws Exception {
        listen(tls(job));
        List<LiveRoute> pretended = LiveEndpoint.routes(JOB).stream()
                .map(route -> new LiveRoute(
                        route.job(),
                        route.view(),
                        route.firstShard(),
                        route.lastShard(),
                        route.host(),
                        route.port(),
                        false))
                .toList();
        try (LiveClient client = new LiveClient(() -> pretended, Duration.ofSeconds(5), null, true)) {
            assertThatThrownBy(() -> client.read(VIEW, KEYS)).isInstanceOf(LiveUnavailableException.class);
        }
    }

    @Test
    void ofFiles_keyIsNoKey_namesTheFiles() throws Exception {
        assertThatThrownBy(() -> LiveTls.ofFiles(job.certificate(), ca, ca))
                .isInstanceOf(GeneralSecurityException.class)
                .hasMessageContaining(ca + " their private key as PEM");
    }

    private LiveTls tls(TestCertificate own) throws Exception {
        return LiveTls.ofFiles(own.certificate(), own.key(), ca);
    }

    private void listen(@Nullable LiveTls tls) {
        task = LiveEndpoint.join(
                JOB,
                VIEW.name(),
                0,
                Shard.COUNT - 1,
                new LiveAddress("127.0.0.1", "127.0.0.1", tls),
                Runnable::run,
                LiveReads.oneByOne(key -> LiveRow.newBuilder()
                        .setStatus(LiveStatus.FOUND)
                        .setCount(42)
                        .build()));
    }

    private void refused(LiveTls tls) {
        assertThatThrownBy(() -> read(tls))
                .isInstanceOf(LiveUnavailableException.class)
                .hasMessageContaining("1 of 1 keys of view " + VIEW.name() + " were not answered");
    }

    private List<LiveRow> read(@Nullable LiveTls tls) {
        try (LiveClient client = new LiveClient(() -> LiveEndpoint.routes(JOB), Await.PATIENCE, tls, true)) {
            return client.read(VIEW, KEYS);
        }
    }
}
