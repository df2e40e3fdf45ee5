/** A schema registry for tests. */
@NullMarked
package io.thalweg.devkit.registry;

import org.jspecify.annotations.NullMarked;
