@NullMarked
package io.thalweg.jobs.load;

import org.jspecify.annotations.NullMarked;
