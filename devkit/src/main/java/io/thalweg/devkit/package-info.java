/**
 * What a person's own machine and the tests need in place of a cluster and a city: a real Kafka broker inside this process
 * ({@link io.thalweg.devkit.EmbeddedKafka}) and a simulated city whose events are a pure function of a seed
 * ({@link io.thalweg.devkit.CitySimulator}), which {@link io.thalweg.devkit.CityFeed} drives into it.
 */
@NullMarked
package io.thalweg.devkit;

import org.jspecify.annotations.NullMarked;
