/** A run needs more than it may have; the message says what is allowed. */
export class BoundError extends Error {}
