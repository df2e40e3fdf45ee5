/** Tables in files. {@link io.thalweg.tables.TableFiles} lists the files of a table and checks the definition against them; {@link io.thalweg.tables.TableReader} reads their rows. */
@NullMarked
package io.thalweg.tables;

import org.jspecify.annotations.NullMarked;
