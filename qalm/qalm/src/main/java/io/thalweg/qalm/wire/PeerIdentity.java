package io.thalweg.qalm.wire;

import java.security.cert.Certificate;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** Reads the name in a peer's certificate: the SPIFFE id, or the common name. */
public final class PeerIdentity {
    private static final int URI = 6;

    private PeerIdentity() {}

    /** Returns the name of a connection's peer; null without TLS or without a peer certificate. */
    public static @Nullable String of(@Nullable SSLSession session) {
        if (session == null) {
            return null;
        }
        try {
            Certificate[] chain = session.getPeerCertificates();
            return chain.length > 0 && chain[0] instanceof X509Certificate leaf ? of(leaf) : null;
        } catch (SSLPeerUnverifiedException e) {
            return null;
        }
    }

    /** Returns the name in a certificate; null if it has none. */
    public static @Nullable String of(X509Certificate certificate) {
        String spiffe = spiffe(certificate);
        return spiffe != null ? spiffe : commonName(certificate);
    }

    private static @Nullable String spiffe(X509Certificate certificate) {
        try {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            for (List<?> name : names == null ? List.<List<?>>of() : names) {
                if (name.get(0).equals(URI) && name.get(1).toString().startsWith("spiffe://")) {
                    return name.get(1).toString();
                }
            }
        } catch (CertificateParsingException e) {
            // A certificate that cannot be parsed contains no name.
        }
        return null;
    }

    private static @Nullable String commonName(X509Certificate certificate) {
        try {
            for (Rdn rdn : new LdapName(certificate.getSubjectX500Principal().getName()).getRdns()) {
                if (rdn.getType().equalsIgnoreCase("CN")) {
                    return rdn.getValue().toString();
                }
            }
        } catch (InvalidNameException e) {
            // A subject that cannot be parsed contains no name.
        }
        return null;
    }
}
