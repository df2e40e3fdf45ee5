/** Schema registries: messages that name their writer's schema, and the lookup of these schemas. */
@NullMarked
package io.thalweg.records.registry;

import org.jspecify.annotations.NullMarked;
