/** Training sets: Thalweg's own join compared with DuckDB and Feast over the same rows as plain columns. */
@NullMarked
package io.thalweg.bench.training;

import org.jspecify.annotations.NullMarked;
