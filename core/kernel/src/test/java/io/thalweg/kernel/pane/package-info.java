@NullMarked
package io.thalweg.kernel.pane;

import org.jspecify.annotations.NullMarked;
