package io.thalweg.records.registry;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * The address of a schema registry.
 *
 * @param name as in {@code thalweg.yaml}, for messages
 * @param url without a trailing slash
 * @param authorization the header of each request; empty = none
 */
public record RegistryAddress(String name, String url, String authorization) implements Serializable {
    public RegistryAddress {
        url = url.replaceFirst("/+$", "");
    }

    /** Returns the authorization by user and password. */
    public static String basic(String user, String password) {
        byte[] both = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
        return "Basic " + Base64.getEncoder().encodeToString(both);
    }

    /** Returns the authorization by a token. */
    public static String bearer(String token) {
        return "Bearer " + token;
    }

    /** Returns a description without secrets. */
    @Override
    public String toString() {
        return "schema registry " + name + " at " + url;
    }
}
