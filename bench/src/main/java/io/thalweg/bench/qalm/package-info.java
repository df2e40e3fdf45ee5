/**
 * The load management benchmark: an overloaded real gRPC server without protection, behind {@code qalm} and behind the usual
 * alternatives. {@link QalmRun} measures one system; the server and the load each have a process.
 */
@NullMarked
package io.thalweg.bench.qalm;

import org.jspecify.annotations.NullMarked;
