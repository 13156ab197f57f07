/** The newest receipts: one request for all parts of the page. */
export const RECENT_KEY = ['receipts.recent', 'home'];
export const RECENT = { limit: 10 };
