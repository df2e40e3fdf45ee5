/**
 * Load management: a service under overload keeps serving its critical calls.
 *
 * <p>Each endpoint has a {@link io.thalweg.qalm.Lane} with a queue. While calls wait too long, the lane serves by {@link
 * io.thalweg.qalm.Criticality} and refuses the least critical calls, most of them on arrival. Estimation (delay, capacity, limit; {@code io.thalweg.qalm.estimate})
 * is separate from enforcement (admit, queue, refuse). Time and randomness are arguments; {@code io.thalweg.qalm.live} supplies the
 * real ones. This package needs only the JDK.
 */
@NullMarked
package io.thalweg.qalm;

import org.jspecify.annotations.NullMarked;
