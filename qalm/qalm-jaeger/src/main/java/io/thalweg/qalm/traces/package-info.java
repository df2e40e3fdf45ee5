/**
 * Proposes rules from traces, Jaeger's or OTLP's: who calls which endpoint, how often, and how critical the calls may be.
 */
@NullMarked
package io.thalweg.qalm.traces;

import org.jspecify.annotations.NullMarked;
