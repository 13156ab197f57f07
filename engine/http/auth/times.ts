/** Seconds that a nonce is good for, and that a message may be old. */
export const NONCE_SECONDS = 600;

/** Seconds after which a session ends, however much it is used: a week. */
export const SESSION_SECONDS = 604_800;

/** Seconds without a request after which a session ends: a day. */
export const IDLE_SECONDS = 86_400;

/** Seconds that a confirmation is good for. */
export const CONFIRMATION_SECONDS = 300;
