/** The rules of {@code io.thalweg.qalm.registry} as YAML. Needs snakeyaml-engine. */
@NullMarked
package io.thalweg.qalm.yaml;

import org.jspecify.annotations.NullMarked;
