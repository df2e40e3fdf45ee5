/**
 * The load management benchmark: a real gRPC server under more load than it carries, without protection, behind {@code qalm} and
 * behind what one would otherwise use. {@link QalmRun} measures one system; the server and the load each have a process.
 */
@NullMarked
package io.thalweg.bench.qalm;

import org.jspecify.annotations.NullMarked;
