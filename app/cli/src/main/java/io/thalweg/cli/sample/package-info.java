/** A view that is proposed from a sample of its events. */
@NullMarked
package io.thalweg.cli.sample;

import org.jspecify.annotations.NullMarked;
