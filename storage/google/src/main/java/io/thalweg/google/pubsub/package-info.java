/** Pub/Sub: subscriptions that deliver messages, topics that accept them, and the creation of both. */
@NullMarked
package io.thalweg.google.pubsub;

import org.jspecify.annotations.NullMarked;
