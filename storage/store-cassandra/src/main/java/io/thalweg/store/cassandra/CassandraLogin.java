package io.thalweg.store.cassandra;

import com.datastax.oss.driver.api.core.auth.Authenticator;
import com.datastax.oss.driver.api.core.auth.PlainTextAuthProviderBase;
import com.datastax.oss.driver.api.core.metadata.EndPoint;
import io.thalweg.model.deployment.Secret;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The login at each new connection, with the password as it is then. It notes whether logins succeed, because the driver fails
 * statements without that reason when it cannot connect again.
 */
final class CassandraLogin extends PlainTextAuthProviderBase {
    /** One or two may be under way. */
    private static final int MANY = 3;

    private final String user;
    private final Secret password;
    private final AtomicInteger withoutSuccess = new AtomicInteger();

    CassandraLogin(String user, Secret password) {
        super("thalweg");
        this.user = user;
        this.password = password;
    }

    /** Whether the last logins have all failed. */
    boolean isRefused() {
        return withoutSuccess.get() >= MANY;
    }

    @Override
    protected Credentials getCredentials(EndPoint node, String authenticator) {
        return new Credentials(user.toCharArray(), password.now().toCharArray());
    }

    @Override
    public Authenticator newAuthenticator(EndPoint node, String authenticator) {
        withoutSuccess.incrementAndGet();
        return new PlainTextAuthenticator(getCredentials(node, authenticator), node, authenticator) {
            @Override
            public void onAuthenticationSuccessSync(@Nullable ByteBuffer token) {
                withoutSuccess.set(0);
            }
        };
    }
}
