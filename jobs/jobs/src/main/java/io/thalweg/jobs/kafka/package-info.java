/** Reads Kafka in blocks: the records that one poll fetched from one partition form a block, with the partition's clock. */
@NullMarked
package io.thalweg.jobs.kafka;

import org.jspecify.annotations.NullMarked;
