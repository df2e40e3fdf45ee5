/**
 * Hexagons: the tiles that own cells, the halo that neighbouring tiles exchange, and the features of a tile, which are
 * sums of counts over hexagonal disks and time windows. The only package of the kernel that knows H3.
 *
 * <p>A tile without a pentagon near is a plane lattice, on which a disk sum is six lookups in prefix sums whatever its
 * radius; every tile is checked for that once, and those that are not walk the graph of neighbours instead, with equal
 * rows.
 */
@NullMarked
package io.thalweg.kernel.hex;

import org.jspecify.annotations.NullMarked;
