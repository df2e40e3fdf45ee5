package io.thalweg.store.redis;

import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.deployment.Secret;
import java.net.URI;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Translates addresses to those of the driver, with logins that are read again for each new connection. */
final class RedisLogins {
    private static final Pattern USER_INFO = Pattern.compile("://([^/@?#]*)@");
    private static final Pattern SENTINEL = Pattern.compile("([^:,]+)(?::(\\d+))?");

    private RedisLogins() {}

    static RedisURI address(DeploymentConfig.RedisServer server) {
        RedisURI address = server.isBySentinel() ? master(server) : RedisURI.create(server.uri());
        address.setSsl(server.encrypts());
        String text = server.uri().toString();
        if (USER_INFO.matcher(text).find()) {
            Secret current = server.current();
            address.setCredentialsProvider(
                    RedisCredentialsProvider.from(() -> current == null ? credentials(text) : current(current, text)));
        }
        return address;
    }

    /** Returns those at the start if the files contain something else than a part of an address now. */
    private static RedisCredentials current(Secret current, String start) {
        try {
            return credentials(current.now());
        } catch (IllegalArgumentException e) {
            return credentials(start);
        }
    }

    private static RedisCredentials credentials(String address) {
        Matcher found = USER_INFO.matcher(address);
        String userInfo = found.find() ? found.group(1) : "";
        int colon = userInfo.indexOf(':');
        String user = decoded(userInfo.substring(0, Math.max(0, colon)));
        String password = decoded(userInfo.substring(colon + 1));
        return credentials(user.isEmpty() ? null : user, password);
    }

    @SuppressWarnings("NullAway") // the driver accepts no user, which is the default one
    private static RedisCredentials credentials(@Nullable String user, String password) {
        return RedisCredentials.just(user, password);
    }

    private static String decoded(String text) {
        return String.valueOf(URI.create("redis://h/#" + text).getFragment());
    }

    /** The driver's own parser decodes a password before it searches for the end of it. */
    private static RedisURI master(DeploymentConfig.RedisServer server) {
        URI uri = server.uri();
        RedisURI address = new RedisURI();
        address.setSentinelMasterId(uri.getFragment());
        String database = uri.getPath().replace("/", "");
        address.setDatabase(database.isEmpty() ? 0 : Integer.parseInt(database));
        Matcher found = SENTINEL.matcher(uri.getRawAuthority().replaceFirst(".*@", ""));
        while (found.find()) {
            int port = found.group(2) == null ? RedisURI.DEFAULT_SENTINEL_PORT : Integer.parseInt(found.group(2));
            RedisURI sentinel = RedisURI.create(found.group(1), port);
            sentinel.setSsl(server.encrypts());
            DeploymentConfig.Login login = server.sentinel();
            if (login != null) {
                sentinel.setCredentialsProvider(RedisCredentialsProvider.from(
                        () -> credentials(login.user(), login.password().now())));
            }
            address.getSentinels().add(sentinel);
        }
        return address;
    }
}
