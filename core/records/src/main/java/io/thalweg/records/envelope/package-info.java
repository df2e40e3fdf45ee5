/** Envelopes: records that are compressed or contain several messages. */
@NullMarked
package io.thalweg.records.envelope;

import org.jspecify.annotations.NullMarked;
