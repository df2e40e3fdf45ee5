@NullMarked
package io.thalweg.bench;

import org.jspecify.annotations.NullMarked;
