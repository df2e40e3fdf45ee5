package io.thalweg.google;

import com.google.api.gax.core.CredentialsProvider;
import com.google.api.gax.core.FixedCredentialsProvider;
import com.google.api.gax.core.NoCredentialsProvider;
import com.google.auth.oauth2.GoogleCredentials;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * How one of Google's services is reached.
 *
 * @param credentials file of a service account or another kind of Google's credentials; null = those of the environment
 * @param endpoint {@code host:port}; null = Google's
 * @param isEmulator whether the endpoint is an emulator, which takes neither TLS nor credentials
 */
public record GoogleAccess(
        @Nullable String credentials, @Nullable String endpoint, boolean isEmulator) implements Serializable {
    private static final long serialVersionUID = 1L;

    /** Access to a service; an endpoint of this machine is an emulator. */
    public static GoogleAccess of(@Nullable String credentials, @Nullable String endpoint) {
        return new GoogleAccess(credentials, endpoint, endpoint != null && isOfThisMachine(endpoint));
    }

    private static boolean isOfThisMachine(String endpoint) {
        int colon = endpoint.lastIndexOf(':');
        try {
            return InetAddress.getByName(colon < 0 ? endpoint : endpoint.substring(0, colon))
                    .isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    /**
     * The credentials for a client.
     *
     * @param scope what they are for
     * @param environment those of the environment
     * @throws IOException if their file cannot be read; the message names it
     */
    public CredentialsProvider credentials(String scope, CredentialsProvider environment) throws IOException {
        if (isEmulator) {
            return NoCredentialsProvider.create();
        }
        if (credentials == null) {
            return environment;
        }
        try (InputStream in = new FileInputStream(credentials)) {
            return FixedCredentialsProvider.create(
                    GoogleCredentials.fromStream(in).createScoped(scope));
        }
    }
}
