@NullMarked
package io.thalweg.bench.load;

import org.jspecify.annotations.NullMarked;
