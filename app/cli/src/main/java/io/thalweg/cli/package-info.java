/**
 * The {@code thalweg} command: the classes that all commands share ({@link io.thalweg.cli.Console}, {@link
 * io.thalweg.cli.UserError}, {@link io.thalweg.cli.ViewFiles}) and the commands that do not run a job. Commands that run one
 * are in {@code io.thalweg.cli.run}.
 */
@NullMarked
package io.thalweg.cli;

import org.jspecify.annotations.NullMarked;
