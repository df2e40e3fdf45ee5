/**
 * The pages of the console and their data: views, jobs, dead letters, the map and its basemap. Depends on {@code region},
 * {@code read}, {@code health}, {@code access}, {@code telemetry} and {@code http}.
 */
@NullMarked
package io.thalweg.server.console;

import org.jspecify.annotations.NullMarked;
