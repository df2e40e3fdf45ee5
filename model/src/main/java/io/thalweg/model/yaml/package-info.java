/** YAML documents with the place of every value, for problems that name file and line. */
@NullMarked
package io.thalweg.model.yaml;

import org.jspecify.annotations.NullMarked;
