/** BigQuery through its Storage Write API. */
@NullMarked
package io.thalweg.google.bigquery;

import org.jspecify.annotations.NullMarked;
