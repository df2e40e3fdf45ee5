@NullMarked
package io.thalweg.bench.demand;

import org.jspecify.annotations.NullMarked;
