/**
 * The routes of the admin port besides the console: the rules and the state of load management, aliases, backups. Depends on
 * {@code access}, {@code versions}, {@code telemetry} and {@code http}.
 */
@NullMarked
package io.thalweg.server.admin;

import org.jspecify.annotations.NullMarked;
