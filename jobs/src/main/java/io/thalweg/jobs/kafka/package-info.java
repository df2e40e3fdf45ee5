/** Reading Kafka in blocks: what one poll fetched from one partition travels as one, with its partition's clock. */
@NullMarked
package io.thalweg.jobs.kafka;

import org.jspecify.annotations.NullMarked;
