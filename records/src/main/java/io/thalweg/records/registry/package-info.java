/**
 * Schema registries: messages that name the schema that they were written with, and schemas that are fetched by it.
 */
@NullMarked
package io.thalweg.records.registry;

import org.jspecify.annotations.NullMarked;
