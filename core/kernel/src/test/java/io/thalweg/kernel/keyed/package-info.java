@NullMarked
package io.thalweg.kernel.keyed;

import org.jspecify.annotations.NullMarked;
