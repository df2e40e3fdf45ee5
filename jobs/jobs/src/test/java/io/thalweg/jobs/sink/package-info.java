@NullMarked
package io.thalweg.jobs.sink;

import org.jspecify.annotations.NullMarked;
