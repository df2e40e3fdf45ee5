/**
 * A first document for the registry, from traces: who calls which endpoint, how often, and how critical that may be. Needs
 * jackson-databind.
 */
@NullMarked
package io.thalweg.qalm.traces;

import org.jspecify.annotations.NullMarked;
