@NullMarked
package io.thalweg.kernel.aggregate;

import org.jspecify.annotations.NullMarked;
