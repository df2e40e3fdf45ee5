@NullMarked
package io.thalweg.kernel.table;

import org.jspecify.annotations.NullMarked;
