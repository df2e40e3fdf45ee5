package io.thalweg.jobs.embedded;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.UUID;
import org.apache.flink.configuration.BlobServerOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.NettyShuffleEnvironmentOptions;
import org.apache.flink.configuration.SecurityOptions;

/**
 * Closes the BLOB server of a mini cluster, which otherwise writes the bytes of any client to disk.
 *
 * <p>A mini cluster always opens the server's port, and no option disables it. But the server can require mutual TLS, with keys
 * from a file. Here this file is an empty key store, so no handshake succeeds and the server reads no request. The job does not
 * need the server: its classes are those of this process, and data that a cluster would offload to the server
 * ({@code blob.offload.minsize}) stays in memory.
 */
final class ClosedBlobServer {
    private static final String TYPE = "PKCS12";

    private ClosedBlobServer() {}

    static void configure(Configuration configuration) {
        String password = UUID.randomUUID().toString();
        String empty = emptyKeyStore(password).toString();
        configuration.set(BlobServerOptions.SSL_ENABLED, true);
        configuration.set(BlobServerOptions.OFFLOAD_MINSIZE, Integer.MAX_VALUE);
        configuration.set(NettyShuffleEnvironmentOptions.DATA_SSL_ENABLED, false);
        configuration.set(SecurityOptions.SSL_INTERNAL_ENABLED, true);
        configuration.set(SecurityOptions.SSL_INTERNAL_KEYSTORE, empty);
        configuration.set(SecurityOptions.SSL_INTERNAL_KEYSTORE_TYPE, TYPE);
        configuration.set(SecurityOptions.SSL_INTERNAL_KEYSTORE_PASSWORD, password);
        configuration.set(SecurityOptions.SSL_INTERNAL_KEY_PASSWORD, password);
        configuration.set(SecurityOptions.SSL_INTERNAL_TRUSTSTORE, empty);
        configuration.set(SecurityOptions.SSL_INTERNAL_TRUSTSTORE_TYPE, TYPE);
        configuration.set(SecurityOptions.SSL_INTERNAL_TRUSTSTORE_PASSWORD, password);
    }

    private static Path emptyKeyStore(String password) {
        Path folder = Path.of(System.getProperty("java.io.tmpdir"));
        try {
            Path file = Files.createTempFile(folder, "thalweg-no-keys", ".p12");
            file.toFile().deleteOnExit();
            KeyStore store = KeyStore.getInstance(TYPE);
            store.load(null, null);
            try (OutputStream out = Files.newOutputStream(file)) {
                store.store(out, password.toCharArray());
            }
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write a temporary file; make room in " + folder, e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK has no key stores of type " + TYPE, e);
        }
    }
}
