/** Load management for grpc-java, server and client, without a change of service code. */
@NullMarked
package io.thalweg.qalm.grpc;

import org.jspecify.annotations.NullMarked;
