package io.thalweg.store.cassandra;

import com.datastax.oss.driver.api.core.auth.PlainTextAuthProviderBase;
import com.datastax.oss.driver.api.core.metadata.EndPoint;
import io.thalweg.model.deployment.Secret;

/** The login at each new connection, with the password as it is then. */
final class CassandraLogin extends PlainTextAuthProviderBase {
    private final String user;
    private final Secret password;

    CassandraLogin(String user, Secret password) {
        super("thalweg");
        this.user = user;
        this.password = password;
    }

    @Override
    protected Credentials getCredentials(EndPoint node, String authenticator) {
        return new Credentials(user.toCharArray(), password.now().toCharArray());
    }
}
