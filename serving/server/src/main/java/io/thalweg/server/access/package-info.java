/**
 * Who may use a port: TLS, the callers file, tokens of issuers, and the checks of host and origin. {@code Gate} stands in front of
 * every port. Depends on {@code http} and {@code telemetry}.
 */
@NullMarked
package io.thalweg.server.access;

import org.jspecify.annotations.NullMarked;
