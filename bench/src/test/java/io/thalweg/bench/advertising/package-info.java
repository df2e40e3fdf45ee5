@NullMarked
package io.thalweg.bench.advertising;

import org.jspecify.annotations.NullMarked;
