/** Single steps, by JMH: {@code ./thalweg bench micro NAME}. */
@NullMarked
package io.thalweg.bench.micro;

import org.jspecify.annotations.NullMarked;
