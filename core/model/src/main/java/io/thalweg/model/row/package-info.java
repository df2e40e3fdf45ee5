/** Rows of views: blocks of them, their encodings in stores and in Kafka, and the results of reads. */
@NullMarked
package io.thalweg.model.row;

import org.jspecify.annotations.NullMarked;
