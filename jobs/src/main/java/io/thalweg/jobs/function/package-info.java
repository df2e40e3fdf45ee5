/** Functions of users on events: loading their classes and calling them, so that no failure of theirs is one of the job. */
@NullMarked
package io.thalweg.jobs.function;

import org.jspecify.annotations.NullMarked;
