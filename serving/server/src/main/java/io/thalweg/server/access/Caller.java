package io.thalweg.server.access;

/**
 * A program or person whose name is authenticated.
 *
 * @param name in the rules of load management and in the audit trail
 */
public record Caller(String name, Role role) {
    /** What a caller may do. Each role includes those before it. */
    public enum Role {
        /** Reads features, views and metrics. */
        READER,
        /** Uses the admin port. */
        OPERATOR
    }

    boolean may(Role needed) {
        return role.compareTo(needed) >= 0;
    }
}
