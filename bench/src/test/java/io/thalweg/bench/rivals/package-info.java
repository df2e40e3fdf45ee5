@NullMarked
package io.thalweg.bench.rivals;

import org.jspecify.annotations.NullMarked;
