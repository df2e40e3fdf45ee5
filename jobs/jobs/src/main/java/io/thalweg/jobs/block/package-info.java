/**
 * The elements that flow between operators: columns of many events ({@link RoutedBlock}), counts of closed panes
 * ({@link SliceBlock}), rows with their progress ({@link OutputItem}); their serializers, and the shards that they are routed by.
 */
@NullMarked
package io.thalweg.jobs.block;

import org.jspecify.annotations.NullMarked;
