/** What can be asked of a cluster: whether its brokers answer, and the first and last records of its topics. */
@NullMarked
package io.thalweg.jobs.kafka.cluster;

import org.jspecify.annotations.NullMarked;
