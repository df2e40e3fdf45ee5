/** YAML documents with the position of every value, so that problems can name file and line. */
@NullMarked
package io.thalweg.model.yaml;

import org.jspecify.annotations.NullMarked;
