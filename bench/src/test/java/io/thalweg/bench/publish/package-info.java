@NullMarked
package io.thalweg.bench.publish;

import org.jspecify.annotations.NullMarked;
