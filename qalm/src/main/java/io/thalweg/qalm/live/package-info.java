/** Load management with the real clock: threads that tick and that watch the registry's file. */
@NullMarked
package io.thalweg.qalm.live;

import org.jspecify.annotations.NullMarked;
