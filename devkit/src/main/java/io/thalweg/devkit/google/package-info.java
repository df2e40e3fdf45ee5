/** Stand-ins for services of Google that cannot run on one's own machine. */
@NullMarked
package io.thalweg.devkit.google;

import org.jspecify.annotations.NullMarked;
