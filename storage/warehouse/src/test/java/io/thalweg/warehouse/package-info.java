@NullMarked
package io.thalweg.warehouse;

import org.jspecify.annotations.NullMarked;
