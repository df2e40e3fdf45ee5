@NullMarked
package io.thalweg.bench.suite;

import org.jspecify.annotations.NullMarked;
