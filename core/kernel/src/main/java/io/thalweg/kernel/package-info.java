/** The computation of features, independent of Flink; the subpackages contain the code. */
@NullMarked
package io.thalweg.kernel;

import org.jspecify.annotations.NullMarked;
