/**
 * Feature logs, which keep every row of a view and when it became readable, and training sets: what a server would have answered at
 * the time of each label.
 */
@NullMarked
package io.thalweg.history;

import org.jspecify.annotations.NullMarked;
