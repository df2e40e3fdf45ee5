@NullMarked
package io.thalweg.bench.flame;

import org.jspecify.annotations.NullMarked;
