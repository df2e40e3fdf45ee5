/**
 * Replacements for a cluster and a city on a developer's machine and in tests: a real Kafka broker inside this process
 * ({@link io.thalweg.devkit.EmbeddedKafka}) and a simulated city whose events are a pure function of a seed
 * ({@link io.thalweg.devkit.CitySimulator}), which {@link io.thalweg.devkit.CityFeed} feeds into it.
 */
@NullMarked
package io.thalweg.devkit;

import org.jspecify.annotations.NullMarked;
