/** Feature views: their entities, measures, windows and lookups, and where their rows go. */
@NullMarked
package io.thalweg.model.view;

import org.jspecify.annotations.NullMarked;
