/**
 * Which version of a view a name refers to: aliases, switching, and replacement. Depends on {@code http}.
 */
@NullMarked
package io.thalweg.server.versions;

import org.jspecify.annotations.NullMarked;
