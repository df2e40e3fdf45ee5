/** Load management for Armeria, server and client, HTTP and gRPC, without a change of service code. */
@NullMarked
package io.thalweg.qalm.armeria;

import org.jspecify.annotations.NullMarked;
