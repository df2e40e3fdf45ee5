@NullMarked
package io.thalweg.jobs.compute;

import org.jspecify.annotations.NullMarked;
