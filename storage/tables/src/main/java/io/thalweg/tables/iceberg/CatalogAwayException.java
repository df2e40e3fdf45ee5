package io.thalweg.tables.iceberg;

/** Thrown when a catalog cannot be reached, or refuses this client. */
public final class CatalogAwayException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CatalogAwayException(CatalogAddress.Rest catalog, Throwable cause) {
        super(
                "%s cannot be used: %s"
                        .formatted(
                                catalog.text(),
                                cause.getCause() == null
                                        ? cause.getMessage()
                                        : cause.getCause().getMessage()),
                cause);
    }
}
