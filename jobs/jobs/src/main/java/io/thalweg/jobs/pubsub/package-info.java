/** Subscriptions as sources: messages are acknowledged when the checkpoint that covers them completes. */
@NullMarked
package io.thalweg.jobs.pubsub;

import org.jspecify.annotations.NullMarked;
