/**
 * The advertising benchmark: counts views of ads per campaign in windows of ten seconds, with Thalweg and with the usual
 * alternatives, each in its own process.
 */
@NullMarked
package io.thalweg.bench.advertising;

import org.jspecify.annotations.NullMarked;
