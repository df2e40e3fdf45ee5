/** The commands that run jobs: {@code run}, {@code demo}, {@code serve}. */
@NullMarked
package io.thalweg.cli.run;

import org.jspecify.annotations.NullMarked;
