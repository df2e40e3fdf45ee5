/**
 * Load management: a service under overload goes on answering what matters.
 *
 * <p>Each endpoint has a {@link io.thalweg.qalm.Lane} with a queue of its own. While calls wait too long, the lane serves
 * by {@link io.thalweg.qalm.Criticality} and refuses the least critical, most of them on arrival. Estimates (delay, capacity,
 * limit) and enforcement (admit, queue, refuse) are apart. Time and randomness are arguments: {@code io.thalweg.qalm.live}
 * supplies the real ones. This package needs nothing but the JDK.
 */
@NullMarked
package io.thalweg.qalm;

import org.jspecify.annotations.NullMarked;
