@NullMarked
package io.thalweg.cli.run;

import org.jspecify.annotations.NullMarked;
