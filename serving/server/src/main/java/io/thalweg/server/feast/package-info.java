/**
 * Reads in the protocol of Feast's feature server. Depends on {@code read} and {@code http}.
 */
@NullMarked
package io.thalweg.server.feast;

import org.jspecify.annotations.NullMarked;
