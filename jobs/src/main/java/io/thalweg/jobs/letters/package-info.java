/** Where dead letters go that tasks write past their job's streams. */
@NullMarked
package io.thalweg.jobs.letters;

import org.jspecify.annotations.NullMarked;
