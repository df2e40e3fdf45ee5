/** Envelopes: records that are compressed or hold several messages. */
@NullMarked
package io.thalweg.records.envelope;

import org.jspecify.annotations.NullMarked;
