package io.thalweg.jobs.compute;

import io.thalweg.live.LiveTls;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.SecurityOptions;
import org.jspecify.annotations.Nullable;

/** The TLS settings by which the processes of a Flink cluster authenticate each other, and which live reads use as well. */
final class FlinkTls {
    private FlinkTls() {}

    /**
     * Returns the key and trust stores of {@code security.ssl.internal}.
     *
     * @return null unless {@code security.ssl.internal.enabled} is set
     * @throws IllegalStateException if the stores cannot be used; the message names the option
     */
    static @Nullable LiveTls of(Configuration cluster) {
        if (!SecurityOptions.isInternalSSLEnabled(cluster)) {
            return null;
        }
        try {
            KeyStore own = store(
                    cluster,
                    SecurityOptions.SSL_INTERNAL_KEYSTORE_TYPE,
                    value(cluster, SecurityOptions.SSL_INTERNAL_KEYSTORE, SecurityOptions.SSL_KEYSTORE),
                    value(
                            cluster,
                            SecurityOptions.SSL_INTERNAL_KEYSTORE_PASSWORD,
                            SecurityOptions.SSL_KEYSTORE_PASSWORD));
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(
                    own,
                    value(cluster, SecurityOptions.SSL_INTERNAL_KEY_PASSWORD, SecurityOptions.SSL_KEY_PASSWORD)
                            .toCharArray());
            KeyStore authorities = store(
                    cluster,
                    SecurityOptions.SSL_INTERNAL_TRUSTSTORE_TYPE,
                    value(cluster, SecurityOptions.SSL_INTERNAL_TRUSTSTORE, SecurityOptions.SSL_TRUSTSTORE),
                    value(
                            cluster,
                            SecurityOptions.SSL_INTERNAL_TRUSTSTORE_PASSWORD,
                            SecurityOptions.SSL_TRUSTSTORE_PASSWORD));
            return LiveTls.ofStores(keys, authorities);
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException(
                    "live reads cannot use the key stores of security.ssl.internal: " + e.getMessage(), e);
        }
    }

    /** Returns an option's value in Flink's order: the option for internal connections overrides the general one. */
    private static String value(Configuration cluster, ConfigOption<String> internal, ConfigOption<String> general) {
        String value = cluster.getOptional(internal).orElseGet(() -> cluster.get(general));
        if (value == null) {
            throw new IllegalStateException(internal.key() + " is required by security.ssl.internal.enabled");
        }
        return value;
    }

    private static KeyStore store(Configuration cluster, ConfigOption<String> type, String file, String password)
            throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(cluster.get(type));
        try (InputStream in = Files.newInputStream(Path.of(file))) {
            store.load(in, password.toCharArray());
        }
        return store;
    }
}
