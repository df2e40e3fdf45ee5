/**
 * The {@code thalweg} command: what all commands share ({@link io.thalweg.cli.Console}, {@link io.thalweg.cli.UserError},
 * {@link io.thalweg.cli.ViewFiles}) and the commands that run no job. Those that do are in {@code io.thalweg.cli.run}.
 */
@NullMarked
package io.thalweg.cli;

import org.jspecify.annotations.NullMarked;
