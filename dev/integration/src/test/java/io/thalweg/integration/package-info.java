/** Rules for the tests of all modules. */
@NullMarked
package io.thalweg.integration;

import org.jspecify.annotations.NullMarked;
