/** Pub/Sub: subscriptions that deliver messages, topics that take them, and how both are made. */
@NullMarked
package io.thalweg.google.pubsub;

import org.jspecify.annotations.NullMarked;
