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
 * The access to one of Google's services.
 *
 * @param credentials file of a service account or another kind of Google's credentials; null = those of the environment
 * @param endpoint {@code host:port}; null = Google's
 * @param isEmulator whether the endpoint is an emulator, which uses neither TLS nor credentials
 */
public record GoogleAccess(
        @Nullable String credentials, @Nullable String endpoint, boolean isEmulator) implements Serializable {
    private static final long serialVersionUID = 1L;

    /** Creates the access to a service; a loopback endpoint is taken for an emulator. */
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
     * Returns the credentials for a client.
     *
     * @param scope the scope of the credentials
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
