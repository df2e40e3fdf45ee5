/** Load management with the real clock: threads that tick and that poll the sources of the rules. */
@NullMarked
package io.thalweg.qalm.live;

import org.jspecify.annotations.NullMarked;
