@NullMarked
package io.thalweg.bench.harness;

import org.jspecify.annotations.NullMarked;
