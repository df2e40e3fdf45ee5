/** Load management for Jakarta Servlet containers, without a change of service code. */
@NullMarked
package io.thalweg.qalm.servlet;

import org.jspecify.annotations.NullMarked;
