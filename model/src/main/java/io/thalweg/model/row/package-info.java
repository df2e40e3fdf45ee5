/** Rows of views: blocks of them, their encodings in stores and in Kafka, and what a read answers. */
@NullMarked
package io.thalweg.model.row;

import org.jspecify.annotations.NullMarked;
