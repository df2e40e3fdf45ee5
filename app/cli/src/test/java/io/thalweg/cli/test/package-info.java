@NullMarked
package io.thalweg.cli.test;

import org.jspecify.annotations.NullMarked;
