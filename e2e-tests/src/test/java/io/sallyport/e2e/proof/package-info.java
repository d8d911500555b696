/** The proof and the export over the whole stack, from the command line. */
package io.sallyport.e2e.proof;
