/** The configuration of a deployment: {@code thalweg.yaml}. */
@NullMarked
package io.thalweg.model.deployment;

import org.jspecify.annotations.NullMarked;
