package io.thalweg.testing;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * A self-signed certificate for 127.0.0.1 and localhost, created with the JDK's keytool.
 *
 * @param certificate PEM file of the certificate, which is also the authority to trust
 * @param key PEM file of the private key, PKCS #8
 */
public record TestCertificate(Path certificate, Path key) {
    private static final String PASSWORD = "secret";

    /**
     * Creates a certificate with a common name.
     *
     * @param folder the folder for NAME.pem and NAME.key
     * @param more further arguments of keytool, such as {@code -ext san=uri:spiffe://prod/checkout}
     */
    public static TestCertificate create(Path folder, String name, String... more)
            throws IOException, InterruptedException, GeneralSecurityException {
        Path store = Files.createTempFile(folder, name, ".p12");
        Files.delete(store);
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-dname",
                "CN=" + name,
                "-ext",
                "san=dns:localhost,ip:127.0.0.1",
                "-alias",
                "key",
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                store.toString()));
        command.addAll(List.of(more));
        Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (keytool.waitFor() != 0) {
            throw new IOException("keytool failed: " + said);
        }
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        Files.delete(store);
        return new TestCertificate(
                write(
                        folder.resolve(name + ".pem"),
                        "CERTIFICATE",
                        keys.getCertificate("key").getEncoded()),
                write(
                        folder.resolve(name + ".key"),
                        "PRIVATE KEY",
                        keys.getKey("key", PASSWORD.toCharArray()).getEncoded()));
    }

    /** Writes both to a PKCS #12 store, for programs that read Java's key stores; the store also trusts the certificate. */
    public void writeStore(Path file, String password) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        KeyFactory keys = KeyFactory.getInstance("EC");
        Certificate[] chain = {
            CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(read(certificate)))
        };
        store.setKeyEntry(
                "key", keys.generatePrivate(new PKCS8EncodedKeySpec(read(key))), password.toCharArray(), chain);
        store.setCertificateEntry("ca", chain[0]);
        try (OutputStream out = Files.newOutputStream(file)) {
            store.store(out, password.toCharArray());
        }
    }

    private static byte[] read(Path pem) throws IOException {
        return Base64.getMimeDecoder().decode(Files.readString(pem).replaceAll("-----[A-Z ]+-----", ""));
    }

    private static Path write(Path file, String kind, byte[] bytes) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        return Files.writeString(file, "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(kind, text, kind));
    }
}
