/** Problems of definitions, which are collected and reported together. */
@NullMarked
package io.thalweg.model.problem;

import org.jspecify.annotations.NullMarked;
