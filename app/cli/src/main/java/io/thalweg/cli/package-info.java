/** The {@code thalweg} command: a class for each subcommand with its options and texts. What they start is in {@code io.thalweg.runner}. */
@NullMarked
package io.thalweg.cli;

import org.jspecify.annotations.NullMarked;
