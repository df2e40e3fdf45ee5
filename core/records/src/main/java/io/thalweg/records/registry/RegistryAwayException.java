package io.thalweg.records.registry;

/** Thrown if a schema registry does not answer, or answers with something other than schemas. The failure may be transient. */
public final class RegistryAwayException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RegistryAwayException(RegistryAddress address, String why) {
        this(address, why, null);
    }

    RegistryAwayException(RegistryAddress address, String why, @org.jspecify.annotations.Nullable Throwable cause) {
        super(address + " cannot be used: " + why, cause);
    }
}
