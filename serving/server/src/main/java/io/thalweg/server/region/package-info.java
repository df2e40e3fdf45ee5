/**
 * Reads of regions: scans and their forms, and the tiles of the map. Depends on {@code read} and the packages that it depends on.
 */
@NullMarked
package io.thalweg.server.region;

import org.jspecify.annotations.NullMarked;
