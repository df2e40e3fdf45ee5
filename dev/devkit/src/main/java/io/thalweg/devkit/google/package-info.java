/** Stand-ins for Google services that cannot run on a developer's machine. */
@NullMarked
package io.thalweg.devkit.google;

import org.jspecify.annotations.NullMarked;
