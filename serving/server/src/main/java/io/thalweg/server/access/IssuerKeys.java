package io.thalweg.server.access;

import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.DefaultResourceRetriever;
import com.nimbusds.jose.util.JSONObjectUtils;
import io.thalweg.model.deployment.Access;
import io.thalweg.model.deployment.TrustedCertificates;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.text.ParseException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The public keys of an issuer. A token that names an unknown key triggers another fetch, at most once every ten seconds. If a
 * fetch fails, the keys that were fetched last stay in force.
 *
 * <p><b>Threads.</b> Safe. Only the constructor and {@link #fetch} wait for the issuer, some seconds at most; fetches that a
 * token triggers run on the executor.
 */
final class IssuerKeys implements JWKSource<SecurityContext> {
    private static final Logger LOG = LoggerFactory.getLogger(IssuerKeys.class);
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int TIMEOUT_MS = 5_000;
    private static final int BYTES_MAX = 1 << 20;
    private static final String CONFIGURATION = "/.well-known/openid-configuration";

    private final Access.Oidc oidc;
    private final Executor executor;
    private final LongSupplier nanoTime;
    private final AtomicLong triedNanos;
    private volatile @Nullable Fetched fetched;

    private record Fetched(JWKSet keys, int version, long atNanos) {}

    /** Fetches the keys; if that fails, it is logged and retried when a token is to be verified. */
    IssuerKeys(Access.Oidc oidc, Executor executor, LongSupplier nanoTime) {
        this.oidc = oidc;
        this.executor = executor;
        this.nanoTime = nanoTime;
        triedNanos = new AtomicLong(nanoTime.getAsLong());
        fetch();
    }

    /** The number of the keys in force; it changes whenever they do and is 0 if they were never fetched. */
    int version() {
        Fetched last = fetched;
        return last == null ? 0 : last.version;
    }

    /** How long ago the keys were fetched; NaN if they never were. */
    double secondsOld() {
        Fetched last = fetched;
        return last == null ? Double.NaN : (nanoTime.getAsLong() - last.atNanos) / 1e9;
    }

    @Override
    public List<JWK> get(JWKSelector selector, @Nullable SecurityContext context) {
        Fetched last = fetched;
        List<JWK> found = last == null ? List.of() : selector.select(last.keys);
        if (found.isEmpty()) {
            fetchSoon();
        }
        return found;
    }

    private void fetchSoon() {
        long tried = triedNanos.get();
        long now = nanoTime.getAsLong();
        if (now - tried >= AGAIN_NANOS && triedNanos.compareAndSet(tried, now)) {
            executor.execute(this::fetch);
        }
    }

    /** Fetches the keys; a failure is logged. */
    void fetch() {
        try {
            JWKSet keys = JWKSet.parse(text(address())).toPublicJWKSet();
            if (keys.isEmpty()) {
                throw new ParseException("they contain no public key", 0);
            }
            Fetched before = fetched;
            boolean isNew = before == null || !before.keys.equals(keys);
            fetched = new Fetched(keys, isNew ? version() + 1 : version(), nanoTime.getAsLong());
            if (isNew) {
                LOG.info("Fetched {} keys of the issuer {}", keys.size(), oidc.issuer());
            }
        } catch (IOException | ParseException | GeneralSecurityException e) {
            LOG.error(
                    "Cannot fetch the keys of the issuer {} (server.auth.oidc): {}; {}",
                    oidc.issuer(),
                    e.getMessage(),
                    fetched == null
                            ? "its tokens are refused until they can be fetched"
                            : "those that were fetched before stay in force");
        }
    }

    private URI address() throws IOException, ParseException, GeneralSecurityException {
        URI said = oidc.jwks();
        if (said != null) {
            return said;
        }
        URI configuration = URI.create(oidc.issuer().replaceAll("/+$", "") + CONFIGURATION);
        var values = JSONObjectUtils.parse(text(configuration));
        if (!oidc.issuer().equals(values.get("issuer"))) {
            throw new ParseException(
                    "issuer in " + configuration + " must be " + oidc.issuer() + ", was " + values.get("issuer"), 0);
        }
        String keys = JSONObjectUtils.getString(values, "jwks_uri");
        URI address = keys == null ? null : Access.Oidc.address(keys);
        if (address == null) {
            throw new ParseException("jwks_uri in " + configuration + " must be an https address, was " + keys, 0);
        }
        return address;
    }

    private String text(URI address) throws IOException, GeneralSecurityException {
        if ("file".equals(address.getScheme())) {
            return Files.readString(Path.of(address));
        }
        URL url = address.toURL();
        var tls = TrustedCertificates.context(oidc.ca()).getSocketFactory();
        return new DefaultResourceRetriever(TIMEOUT_MS, TIMEOUT_MS, BYTES_MAX, true, tls)
                .retrieveResource(url)
                .getContent();
    }
}
