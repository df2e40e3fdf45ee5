/** Load management for Armeria, server and client, HTTP and gRPC alike, without a change of service code. Needs armeria. */
@NullMarked
package io.thalweg.qalm.armeria;

import org.jspecify.annotations.NullMarked;
