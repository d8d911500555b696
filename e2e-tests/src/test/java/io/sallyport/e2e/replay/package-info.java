/** Bad deploys of the normalizer, and what is done about them. */
package io.sallyport.e2e.replay;
