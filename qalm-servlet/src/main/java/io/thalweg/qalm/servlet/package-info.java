/** Load management for Jakarta Servlet containers, without a change of service code. Needs jakarta.servlet-api 6. */
@NullMarked
package io.thalweg.qalm.servlet;

import org.jspecify.annotations.NullMarked;
