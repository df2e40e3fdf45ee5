@NullMarked
package io.thalweg.jobs;

import org.jspecify.annotations.NullMarked;
