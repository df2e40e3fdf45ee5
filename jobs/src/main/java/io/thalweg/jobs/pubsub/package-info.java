/** Subscriptions as sources: messages are acknowledged when the checkpoint that covers them is complete. */
@NullMarked
package io.thalweg.jobs.pubsub;

import org.jspecify.annotations.NullMarked;
