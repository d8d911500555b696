package io.sallyport.session.streams;

import io.sallyport.proto.log.v1.EpochAnswer;

/**
 * An answer on its way to one node.
 *
 * @param node ordinal of the asking node: the partition that it goes to
 */
record AddressedAnswer(int node, EpochAnswer answer) {}
