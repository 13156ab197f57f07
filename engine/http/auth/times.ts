/** Seconds for which a nonce is valid, and maximum age of a message. */
export const NONCE_SECONDS = 600;

/** Seconds after which a session ends even if it is used: a week. */
export const SESSION_SECONDS = 604_800;

/** Seconds without a request after which a session ends: a day. */
export const IDLE_SECONDS = 86_400;

/** Seconds for which a confirmation is valid. */
export const CONFIRMATION_SECONDS = 300;
