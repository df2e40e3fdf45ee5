/**
 * The advertising benchmark: views of ads, counted per campaign in windows of ten seconds, by Thalweg and by what one would
 * otherwise use, each in a process of its own.
 */
@NullMarked
package io.thalweg.bench.advertising;

import org.jspecify.annotations.NullMarked;
