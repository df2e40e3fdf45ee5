@NullMarked
package io.thalweg.bench.serve;

import org.jspecify.annotations.NullMarked;
