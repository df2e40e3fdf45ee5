@NullMarked
package io.thalweg.bench.layouts;

import org.jspecify.annotations.NullMarked;
