@NullMarked
package io.thalweg.jobs.pubsub;

import org.jspecify.annotations.NullMarked;
