@NullMarked
package io.thalweg.bench.qalm;

import org.jspecify.annotations.NullMarked;
