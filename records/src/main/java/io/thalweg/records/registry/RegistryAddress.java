package io.thalweg.records.registry;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Where a schema registry is.
 *
 * @param name as in {@code thalweg.yaml}, for messages
 * @param url without a slash at its end
 * @param authorization the header of each request; empty = none
 */
public record RegistryAddress(String name, String url, String authorization) implements Serializable {
    public RegistryAddress {
        url = url.replaceFirst("/+$", "");
    }

    /** The authorization by user and password. */
    public static String basic(String user, String password) {
        byte[] both = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
        return "Basic " + Base64.getEncoder().encodeToString(both);
    }

    /** The authorization by a token. */
    public static String bearer(String token) {
        return "Bearer " + token;
    }

    /** For people, without what is secret. */
    @Override
    public String toString() {
        return "schema registry " + name + " at " + url;
    }
}
