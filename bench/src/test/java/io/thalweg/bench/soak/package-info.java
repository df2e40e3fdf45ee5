@NullMarked
package io.thalweg.bench.soak;

import org.jspecify.annotations.NullMarked;
